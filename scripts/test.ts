/**
 * `npm test` runs types, lint and format beside the unit tests, then the kinds of vitest.config.ts, cheap ones first.
 * It ends with the time of each kind, the ten slowest files, and `N passed, N failed`. Arguments filter file names:
 * `npm test -- reports`. With `--quick` (`npm run test:quick`) nothing needs a build, a browser or PostgreSQL.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { installed } from '../packages/server/testing/postgres.ts'
import { build } from './build.ts'
import { type Counts, countsOf, type FileTime, lastLine, sum, timesOf } from './testing/counts.ts'
import { durationsFile, readDurations } from './testing/longest-first.ts'
import { filesLeftOut, leftOut } from './testing/quick.ts'

const root = join(import.meta.dirname, '..')

interface Stage {
  readonly kinds: readonly string[]
  /**
   * The number of test files that run at the same time. Many tests wait for processes or for a network, so two cores
   * stay busy only with four or five workers.
   */
  readonly workers: number
  /** True if tests of this stage use the output of `npm run build`. */
  readonly needsBuild?: true
}
const stages: readonly Stage[] = [
  { kinds: ['unit'], workers: 2 },
  { kinds: ['store', 'http'], workers: 4 },
  { kinds: ['process', 'browser'], workers: 5, needsBuild: true },
]
const quickNames = `^(?!.*(${leftOut.join('|')}))`
const quickArgs = [...filesLeftOut.flatMap((files) => ['--exclude', files]), '--testNamePattern', quickNames]

/**
 * The minutes after which a hanging test run is ended and counts as failed. A run should take eight minutes on two idle
 * cores, but may take longer on a busy machine.
 */
const limitMinutes = process.env.SVC_TEST_LONG ? 24 * 60 : 60

const quick = process.argv.includes('--quick')
const filters = process.argv.slice(2).filter((argument) => argument !== '--quick')
const reports = join(root, '.cache/test')
const startedAt = performance.now()
const overdue = AbortSignal.timeout(limitMinutes * 60_000)
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const counts: Counts[] = []
const times: FileTime[] = []
const stageTimes: string[] = []
const checked = filters.length === 0 ? check() : undefined
for (const stage of stages.filter(({ needsBuild }) => !(quick && needsBuild))) {
  const name = stage.kinds.join(' and ')
  const start = performance.now()
  title(name)
  if (stage.needsBuild && !(await built())) counts.push({ passed: 0, failed: 1, skipped: 0 })
  else await testsOf(stage)
  if (stage.kinds.includes('store') && process.env.SVC_TEST_LONG) await onOtherPostgres()
  stageTimes.push(`${name} ${seconds(performance.now() - start)}`)
  if (name === 'unit' && checked) {
    const { output, ...result } = await checked
    title('types, lint, format')
    process.stdout.write(output)
    counts.push(result)
  }
}
keepDurations()
const total = sum(counts)
console.log('\nThe slowest files:')
for (const { file, milliseconds } of times.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10))
  console.log(`${seconds(milliseconds).padStart(7)}  ${relative(root, file)}`)
console.log(`\n${stageTimes.join(', ')}; together ${seconds(performance.now() - startedAt)}`)
console.log(lastLine(total))
process.exit(total.failed === 0 ? 0 : 1)

/** Runs `npm run check` beside the unit tests. The caller prints its output after the unit tests have ended. */
async function check(): Promise<Counts & { output: string }> {
  const args = [join(root, 'scripts/check.ts'), ...(quick ? ['--quick'] : [])]
  const child = spawn(process.execPath, args, { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0, output }
}

/**
 * In the long form, runs the store tests on the other installed versions of PostgreSQL. Before this, they have run on
 * the first version.
 */
async function onOtherPostgres(): Promise<void> {
  if (process.env.SVC_TEST_POSTGRES || process.env.SVC_TEST_DATABASE_URL) return
  const [first, ...others] = [...new Set(installed().map(({ version }) => version))]
  if (others.length === 0) console.log(`There is only PostgreSQL ${first} here: install Debian's too, or npm's.`)
  for (const version of others) {
    title(`store, PostgreSQL ${version}`)
    await testsOf({ kinds: ['store'], workers: 2 }, { SVC_TEST_POSTGRES: version })
  }
}

async function testsOf({ kinds, workers }: Stage, env: Record<string, string> = {}): Promise<void> {
  const report = join(reports, `${[...kinds, ...Object.values(env)].join('-')}.json`)
  // The long form prints the name of each test when it ends, because some files of tests take long.
  const shown = process.env.SVC_TEST_LONG ? 'verbose' : 'default'
  const reporters = [`--reporter=${shown}`, '--reporter=json', `--outputFile.json=${report}`]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = kinds.flatMap((kind) => ['--project', `${kind}*`])
  const args = ['run', ...projects, `--maxWorkers=${workers}`, '--passWithNoTests', ...reporters]
  const chosen = quick ? [...quickArgs, ...filters] : filters
  const code = await run([vitest, ...args, ...chosen], quick ? { ...env, SVC_TEST_QUICK: '1' } : env)
  counts.push(countsOf(report, code))
  times.push(...timesOf(report))
}

/**
 * Saves the durations of the test files, so that the next run starts the longest files first. The durations of quick
 * and long runs are not saved, since they contain other tests.
 */
function keepDurations(): void {
  if (quick || process.env.SVC_TEST_LONG) return
  const measured = Object.fromEntries(times.map(({ file, milliseconds }) => [relative(root, file), milliseconds]))
  writeFileSync(durationsFile, JSON.stringify({ ...readDurations(), ...measured }, null, 2))
}

async function built(): Promise<boolean> {
  try {
    await build()
    return true
  } catch (error) {
    console.error(error)
    return false
  }
}

/**
 * Runs a program of the checkout with the current Node and returns its exit code, or 1 if a signal or the time limit
 * ended it.
 */
async function run(args: string[], env: Record<string, string> = {}): Promise<number> {
  if (overdue.aborted) return tooLate()
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const end = () => void child.kill('SIGKILL')
  overdue.addEventListener('abort', end)
  const [code] = (await once(child, 'exit')) as [number | null]
  overdue.removeEventListener('abort', end)
  return overdue.aborted ? tooLate() : (code ?? 1)
}

function tooLate(): number {
  console.error(`The tests were ended: they took more than ${limitMinutes} minutes.`)
  return 1
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(0)} s`
}

function title(text: string): void {
  console.log(`\n== ${text} (${seconds(performance.now() - startedAt)})`)
}
