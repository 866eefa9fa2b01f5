/** The files that the check of our English covers: those whose path begins with one of these. It grows until it is everything. */
const covered = [
  'bench/',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'conformance/',
  'docs/',
  'examples/',
  'packages/api/',
  'packages/dashboard/',
  'packages/protocol/',
  'packages/runtime/',
  'packages/server/src/report-store/',
  'packages/server/src/reports/',
  'packages/server/src/rollouts/',
  'packages/server/src/sweeper/',
  'packages/server/src/versions/',
  'packages/server/src/web/',
  'packages/server/src/wishes/',
  'scripts/',
]

/** These quote what others wrote, or what a test must find. */
const left = ['scripts/english/phrases.ts', 'scripts/english/english.test.ts', 'packages/blueprint/testing/corpus']

export const isCovered = (file: string): boolean =>
  covered.some((path) => file.startsWith(path)) && !left.some((path) => file.startsWith(path))
