/**
 * `npm run check`: types, lint, format and English, and figures about the code; the exit code is the number of checks that failed. With
 * `--quick` the linter that needs types looks only at files changed since the last commit: it keeps nothing between runs, and all
 * files cost it some 15 s.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const checks = [
  // One project a package (tsconfig.json). What was found is kept beside each, so only what changed since is checked again.
  // Several checkers would each work out the shared types for themselves: one needs the least CPU time.
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
// Figures about how the code is built. They refuse nothing.
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
