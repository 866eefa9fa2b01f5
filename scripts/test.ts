/**
 * `npm test` runs types, lint and format beside the unit tests, then the other kinds of vitest.config.ts, cheap ones
 * first; the tests of processes run beside all of them. It ends with the time of each kind, the ten slowest files, and
 * `N passed, N failed`. Arguments filter file names: `npm test -- reports`. With `--quick` (`npm run test:quick`)
 * nothing needs a build, a browser or PostgreSQL.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installed } from '../packages/server/testing/postgres.ts'
import { build } from './build.ts'
import { type Counts, countsOf, type FileTime, lastLine, sum, timesOf } from './testing/counts.ts'
import { KeptOutput } from './testing/kept-output.ts'
import { durationsFile, readDurations } from './testing/longest-first.ts'
import { memoryFolder } from './testing/memory.ts'
import { filesLeftOut, leftOut } from './testing/quick.ts'

const root = join(import.meta.dirname, '..')

interface Stage {
  readonly kinds: readonly string[]
  /** The number of test files that run at the same time. */
  readonly workers: number
  /** True if tests of this stage use the output of `npm run build`. */
  readonly needsBuild?: true
}
/**
 * The stages in two lanes that run side by side. Tests of processes wait most of the time, and the stages of the other
 * lane use the processors meanwhile. Few workers are best, because each worker loads all code that its tests need.
 */
const busyLane: readonly Stage[] = [
  { kinds: ['unit'], workers: 2 },
  { kinds: ['store', 'http'], workers: 2 },
  { kinds: ['browser'], workers: 2, needsBuild: true },
]
const waitingLane: readonly Stage[] = [{ kinds: ['process'], workers: 4, needsBuild: true }]
const quickNames = `^(?!.*(${leftOut.join('|')}))`
const quickArgs = [...filesLeftOut.flatMap((files) => ['--exclude', files]), '--testNamePattern', quickNames]

/**
 * The minutes after which a hanging test run is ended and counts as failed. A run should take five minutes on two idle
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

/** The folder for temporary files of the tests. It is in memory if there is room, unless TMPDIR names another. */
const temporary = process.env.TMPDIR ? undefined : memoryFolder()
process.once('exit', () => temporary && rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }))
/** The variables that the tests get in addition to those of this process. */
const forTests = { ...(temporary && { TMPDIR: temporary }), PATH: searchPath() }

const counts: Counts[] = []
const times: FileTime[] = []
const stageTimes: string[] = []
const building = quick ? undefined : built()
const checked = filters.length === 0 ? check() : undefined
const kept = new KeptOutput((text) => process.stdout.write(text))
const waiting = runLane(waitingLane, kept)
await runLane(busyLane)
kept.release()
await waiting
keepDurations()
const total = sum(counts)
console.log('\nThe slowest files:')
for (const { file, milliseconds } of times.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10))
  console.log(`${seconds(milliseconds).padStart(7)}  ${relative(root, file)}`)
console.log(`\n${stageTimes.join(', ')}; together ${seconds(performance.now() - startedAt)}`)
console.log(lastLine(total))
process.exit(total.failed === 0 ? 0 : 1)

/** Runs stages one after another. Their output is printed at once, or goes to `output`. */
async function runLane(stages: readonly Stage[], output?: KeptOutput): Promise<void> {
  for (const stage of stages.filter(({ needsBuild }) => !(quick && needsBuild))) {
    const name = stage.kinds.join(' and ')
    const start = performance.now()
    title(name, output)
    if (stage.needsBuild && !(await building)) counts.push({ passed: 0, failed: 1, skipped: 0 })
    else await testsOf(stage, {}, output)
    if (stage.kinds.includes('store') && process.env.SVC_TEST_LONG) await onOtherPostgres()
    stageTimes.push(`${name} ${seconds(performance.now() - start)}`)
    if (name === 'unit' && checked) {
      const { output: said, ...result } = await checked
      title('types, lint, format', output)
      process.stdout.write(said)
      counts.push(result)
    }
  }
}

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

async function testsOf(
  { kinds, workers }: Stage,
  env: Record<string, string> = {},
  output?: KeptOutput,
): Promise<void> {
  const report = join(reports, `${[...kinds, ...Object.values(env)].join('-')}.json`)
  // The long form prints the name of each test when it ends, because some files of tests take long.
  const shown = process.env.SVC_TEST_LONG ? 'verbose' : 'default'
  const reporters = [`--reporter=${shown}`, '--reporter=json', `--outputFile.json=${report}`]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = kinds.flatMap((kind) => ['--project', `${kind}*`])
  const args = ['run', ...projects, `--maxWorkers=${workers}`, '--passWithNoTests', ...reporters]
  const chosen = quick ? [...quickArgs, ...filters] : filters
  const code = await run([vitest, ...args, ...chosen], quick ? { ...env, SVC_TEST_QUICK: '1' } : env, output)
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

/**
 * Returns the folders in which programs are searched. The folder of Python itself comes first, because the `python3` of
 * a version manager is a script that takes ten times as long to start as Python.
 */
function searchPath(): string {
  const { stdout, status } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  const folders = process.env.PATH ?? ''
  const folder = dirname(stdout ?? '')
  return status !== 0 || folders.split(delimiter).includes(folder) ? folders : `${folder}${delimiter}${folders}`
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
async function run(args: string[], env: Record<string, string>, output?: KeptOutput): Promise<number> {
  if (overdue.aborted) return tooLate()
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...forTests, ...env },
    stdio: ['ignore', ...(output ? (['pipe', 'pipe'] as const) : (['inherit', 'inherit'] as const))],
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => output?.write(text))
  const end = () => void child.kill('SIGKILL')
  overdue.addEventListener('abort', end)
  const closed = once(child, 'close')
  const [code] = (await once(child, 'exit')) as [number | null]
  // A program that a test left behind may still hold the pipe of the output.
  await Promise.race([closed, sleep(2000)])
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

function title(text: string, output?: KeptOutput): void {
  const line = `\n== ${text} (${seconds(performance.now() - startedAt)})\n`
  if (output) output.write(line)
  else process.stdout.write(line)
}
