/**
 * `npm run check`: types, lint, format and English, and figures about the code. The exit code is the number of checks
 * that failed. With `--quick` the type-aware linter checks only files changed since the last commit: it has no cache,
 * and all files take some 15 s.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const checks = [
  // Checks the types. Each package is a project (tsconfig.json) and results are cached, so only what changed is checked
  // again. A single checker needs the least CPU time, since several would each resolve the shared types.
  ['types', 'tsc', '-b', '--checkers', '1'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['promises and import cycles', 'oxlint', '--type-aware', ...(process.argv.includes('--quick') ? changed() : ['.'])],
] as const

let failed = 0
for (const [name, command, ...args] of checks) {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (status !== 0) failed++
}
const english = spawnSync(process.execPath, ['scripts/english.ts'], { stdio: 'inherit' })
console.log(`${english.status === 0 ? 'ok    ' : 'FAILED'} English of comments, texts and documents`)
if (english.status !== 0) failed++
// Prints figures about the code. They never make the check fail.
spawnSync(process.execPath, ['scripts/house.ts'], { stdio: 'inherit' })
process.exit(failed)

function changed(): string[] {
  const listing = ['ls-files', '--modified', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mts']
  const files = execFileSync('git', listing, { encoding: 'utf8' }).split('\n')
  return [
    '--no-error-on-unmatched-pattern',
    ...files.filter((file) => file !== '' && existsSync(file)),
    'scripts/check.ts',
  ]
}
