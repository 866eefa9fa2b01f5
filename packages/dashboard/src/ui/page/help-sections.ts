/**
 * The sections of the documents at `/help` to which the page links. The page imports only the type `HelpSection`. A
 * test in scripts/help checks that each section exists.
 */
export const helpSections = [
  'start#connect-a-program-that-already-runs',
  'start#reach-it-from-another-machine',
  'start#write-a-status-file',
  'sdk#all-calls',
  'jobs#adopt-your-crontab',
  'runtime#installing-with-a-code',
  'runtime#running',
  'page#agents',
  'page#filters',
  'page#tags',
  'page#runs',
  'page#commands',
  'page#logs',
  'page#settings',
  'page#settings-of-the-workspace',
  'page#updates',
  'page#cost',
  'page#people',
  'page#activity',
  'blueprints#for-authors',
  'blueprints#bots',
  'blueprints#products',
  'alerts#choose-what-you-hear-about',
  'alerts#send-it-somewhere',
  'alerts#notify-a-browser',
  'alerts#acknowledge-and-mute',
  'operator#runtime-releases',
] as const

/** The name of a document, and the anchor of a section in it. */
export type HelpSection = (typeof helpSections)[number]
