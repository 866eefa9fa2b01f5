/**
 * `npm run check`: types, lint, format and English, and figures about the code. The exit code is the number of checks
 * that failed. The type-aware linter has no cache, and all files take some 15 s: it does not run again if no file has
 * changed since it passed. With `--quick` it checks only files changed since the last commit.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const quick = process.argv.includes('--quick')
const linter = 'oxlint'
const checks = [
  // Checks the types. Each package is a project (tsconfig.json) and results are cached, so only what changed is checked
  // again. A single checker needs the least CPU time, since several would each resolve the shared types.
  ['types', 'tsc', '-b', '--checkers', '1'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['promises and import cycles', linter, '--type-aware', ...(quick ? changed() : ['.'])],
] as const
/** The file with the state of the sources on which the type-aware linter last found nothing. */
const passedFile = join(root, '.cache/linted')
const state = quick ? undefined : stateOfFiles()

let failed = 0
for (const [name, command, ...args] of checks) {
  if (command === linter && state !== undefined && state === passedBefore()) {
    console.log(`ok     ${name} (as before)`)
    continue
  }
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (status !== 0) failed++
  else if (command === linter && state !== undefined) keepPassed(state)
}
const english = spawnSync(process.execPath, ['scripts/english.ts'], { stdio: 'inherit' })
console.log(`${english.status === 0 ? 'ok    ' : 'FAILED'} English of comments, texts and documents`)
if (english.status !== 0) failed++
// Prints figures about the code. They never make the check fail.
spawnSync(process.execPath, ['scripts/house.ts'], { stdio: 'inherit' })
process.exit(failed)

function changed(): string[] {
  return ['--no-error-on-unmatched-pattern', ...listed(['--modified', '--others']), 'scripts/check.ts']
}

/** The sources that git lists with these options and that exist. */
function listed(options: string[], more: string[] = []): string[] {
  const listing = ['ls-files', ...options, '--exclude-standard', '*.ts', '*.tsx', '*.mts', ...more]
  const files = execFileSync('git', listing, { encoding: 'utf8', cwd: root }).split('\n')
  return files.filter((file) => file !== '' && existsSync(join(root, file)))
}

/** A text that changes with every source and setting that the linter reads; undefined outside of a git checkout. */
function stateOfFiles(): string | undefined {
  try {
    const hash = createHash('sha256')
    for (const file of listed(['--cached', '--others'], ['*.js', '*.mjs', '*.cjs', '*.json'])) {
      const { size, mtimeMs } = statSync(join(root, file))
      hash.update(`${file}\0${size}\0${mtimeMs}\n`)
    }
    return hash.digest('hex')
  } catch {
    return undefined
  }
}

function passedBefore(): string | undefined {
  return existsSync(passedFile) ? readFileSync(passedFile, 'utf8') : undefined
}

function keepPassed(passed: string): void {
  mkdirSync(dirname(passedFile), { recursive: true })
  writeFileSync(passedFile, passed)
}
