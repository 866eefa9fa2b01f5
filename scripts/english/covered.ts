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
  'packages/server/src/agent-side/',
  'packages/server/src/agents/',
  'packages/server/src/audit/',
  'packages/server/src/backup/',
  'packages/server/src/blueprints/',
  'packages/server/src/bots/',
  'packages/server/src/commands/',
  'packages/server/src/db/',
  'packages/server/src/http/',
  'packages/server/src/installs/',
  'packages/server/src/limits/',
  'packages/server/src/live/',
  'packages/server/src/logs/',
  'packages/server/src/move/',
  'packages/server/src/operations/',
  'packages/server/src/operator/commands/',
  'packages/server/src/operator/kit/',
  'packages/server/src/operator/socket/',
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
