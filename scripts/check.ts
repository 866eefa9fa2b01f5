/**
 * `npm run check` checks types, lint, format and English, and prints figures about the code. The exit code is the
 * number of checks that failed. The type-aware linter takes as much processor time as all other checks together, so it
 * runs only if a file has changed since it last passed, and not with `--quick`, as `npm test` calls this.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const linter = 'oxlint'
const checks = [
  // Each package is a project (tsconfig.json), and the compiler caches the results, so only changed packages are
  // checked again. One checker uses the least CPU time, since each further one would resolve the shared types again.
  ['types', 'tsc', '-b', '--checkers', '1'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['promises and import cycles', linter, '--type-aware', '.'],
] as const
/** The file with the state of the sources for which the type-aware linter last passed. */
const passedFile = join(root, '.cache/linted')
const state = stateOfFiles()

const quick = process.argv.includes('--quick')

let failed = 0
for (const [name, command, ...args] of checks) {
  if (command === linter && quick) {
    console.log(`left   ${name} (npm run check has it)`)
    continue
  }
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

/** The source files that `git ls-files` lists with these options, without files that were removed. */
function listed(options: string[], more: string[] = []): string[] {
  const listing = ['ls-files', ...options, '--exclude-standard', '*.ts', '*.tsx', '*.mts', ...more]
  const files = execFileSync('git', listing, { encoding: 'utf8', cwd: root }).split('\n')
  return files.filter((file) => file !== '' && existsSync(join(root, file)))
}

/**
 * A hash of the names, sizes and times of every source and settings file that the linter reads; undefined outside of a
 * git checkout.
 */
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
