/**
 * `npm test` runs types, lint and format beside the unit tests, then the other kinds of vitest.config.ts, cheap ones
 * first; the tests of processes run beside all of them. It leaves out the files whose names have `.slow.`, some rows of
 * tables, what PostgreSQL has in common with SQLite, and the type-aware linter; `npm run test:all` runs them, too. It
 * ends with the most expensive files, the time and the processor time of each kind, each failure with the first line of
 * its error, and `N passed, N failed`. Arguments filter file names, slow ones among them: `npm test -- reports`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installed } from '../packages/server/testing/postgres.ts'
import {
  type Counts,
  countsOf,
  type Failure,
  type FileTime,
  failuresOf,
  lastLine,
  sum,
  timesOf,
} from '../testing/counts.ts'
import { cpuTime, fileSeconds, forgetFileTimes, groupSeconds, withReaper } from '../testing/cpu.ts'
import { KeptOutput } from '../testing/kept-output.ts'
import { durationsFile, readDurations } from '../testing/longest-first.ts'
import { memoryFolder } from '../testing/memory.ts'
import { build } from './build.ts'

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
const filters = process.argv.slice(2)
/** A filter names files that somebody wants to run, also if they are slow. */
const level = process.env.SVC_TEST_LEVEL ?? (filters.length > 0 ? 'all' : 'short')
const isLong = level === 'long'

/**
 * The minutes after which a hanging test run is ended and counts as failed. A run should take five minutes on two idle
 * cores, but may take longer on a busy machine.
 */
const limitMinutes = isLong ? 24 * 60 : 60

const reports = join(root, '.cache/test')
const startedAt = performance.now()
const overdue = AbortSignal.timeout(limitMinutes * 60_000)
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

/** The folder for temporary files of the tests. It is in memory if there is room, unless TMPDIR names another. */
const temporary = process.env.TMPDIR ? undefined : memoryFolder()
process.once('exit', () => temporary && rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }))
/** The variables that the tests get in addition to those of this process. */
const forTests = { ...(temporary && { TMPDIR: temporary }), PATH: searchPath(), SVC_TEST_LEVEL: level }

const counts: Counts[] = []
const failures: Failure[] = []
const times: FileTime[] = []
const stageTimes: string[] = []
/** The processor seconds of each stage, in the order in which they ended. */
const stageCpu: [name: string, seconds: number][] = []
let assigned = cpuTime().children
const groupBefore = groupSeconds()
forgetFileTimes()
const building = built()
const checked = filters.length === 0 ? check() : undefined
const kept = new KeptOutput((text) => process.stdout.write(text))
const waiting = runLane(waitingLane, kept)
await runLane(busyLane)
kept.release()
await waiting
keepDurations()
const total = sum(counts)
console.log('\nThe slowest files, and those that used the processor most:')
const slowest = times.sort((a, b) => b.milliseconds - a.milliseconds)
const expensive = fileSeconds()
for (let i = 0; i < 10; i++) {
  const [slow, costly] = [slowest[i], expensive[i]]
  if (!slow && !costly) break
  const left = slow ? `${seconds(slow.milliseconds).padStart(7)}  ${relative(root, slow.file)}` : ''
  console.log(
    `${left.padEnd(90)}${costly ? `${seconds(costly.seconds * 1000).padStart(7)}  ${costly.file}` : ''}`.trimEnd(),
  )
}
console.log(`\n${stageTimes.join(', ')}; together ${seconds(performance.now() - startedAt)}`)
console.log(cpuLine())
for (const { what, message } of failures) console.log(`failed: ${what}\n        ${message}`)
console.log(lastLine(total))
process.exit(total.failed === 0 ? 0 : 1)

/** Runs stages one after another. Their output is printed at once, or goes to `output`. */
async function runLane(stages: readonly Stage[], output?: KeptOutput): Promise<void> {
  for (const stage of stages) {
    const name = stage.kinds.join(' and ')
    const start = performance.now()
    title(name, output)
    if (stage.needsBuild && !(await building))
      failed(`${name} tests`, 'The build failed; the output above has the error.')
    else await testsOf(stage, {}, output)
    if (stage.kinds.includes('store') && isLong) await onOtherPostgres()
    stageTimes.push(`${name} ${seconds(performance.now() - start)}`)
    assignCpu(name)
    if (name === 'unit' && checked) {
      const { output: said, passed } = await checked
      title('types, lint, format', output)
      process.stdout.write(said)
      if (!passed) failed('npm run check', 'The output above has the error.')
    }
  }
}

/** Runs `npm run check` beside the unit tests. The caller prints its output after the unit tests have ended. */
async function check(): Promise<{ passed: boolean; output: string }> {
  const args = [join(root, 'scripts/check.ts'), ...(level === 'short' ? ['--quick'] : [])]
  const child = spawn(process.execPath, args, { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  assignCpu('checks')
  return { passed: code === 0, output }
}

/** Counts a failure of something that is no test. */
function failed(what: string, message: string): void {
  failures.push({ what, message })
  counts.push({ passed: 0, failed: 1, skipped: 0 })
}

/**
 * Assigns the processor time that has been added since the last call to a stage that has just ended. The time of a
 * process and its children is added when it has been waited for, so stages that run side by side do not mix.
 */
function assignCpu(name: string): void {
  const { children } = cpuTime()
  stageCpu.push([name, children - assigned])
  assigned = children
}

/**
 * The line about processor time. `not assigned` is the share of the control group's time that belongs to no stage. It
 * was used by processes that no stage waited for, such as services that outlived their parents, or by other programs.
 */
function cpuLine(): string {
  const all = stageCpu.reduce((total, [, each]) => total + each, 0)
  const group = groupSeconds()
  const whole = group !== undefined && groupBefore !== undefined ? group - groupBefore : undefined
  const rest = whole === undefined ? '' : `; not assigned ${((100 * (whole - all)) / whole).toFixed(0)}%`
  const parts = stageCpu.map(([name, each]) => `${name} ${seconds(each * 1000)}`)
  return `processor time: ${parts.join(', ')}; together ${seconds(all * 1000)}${rest}`
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
  const shown = isLong ? 'verbose' : 'default'
  const reporters = [`--reporter=${shown}`, '--reporter=json', `--outputFile.json=${report}`]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = kinds.flatMap((kind) => ['--project', `${kind}*`])
  const args = ['run', ...projects, `--maxWorkers=${workers}`, '--passWithNoTests', ...reporters]
  const code = await run([vitest, ...args, ...filters], env, output)
  counts.push(countsOf(report, code))
  failures.push(...failuresOf(report, code, root))
  times.push(...timesOf(report))
}

/**
 * Saves the durations of the test files, so that the next run starts the longest files first. The durations of long
 * runs are not saved, since they contain other tests.
 */
function keepDurations(): void {
  if (isLong) return
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
  const [program = '', ...programArgs] = withReaper([process.execPath, ...args])
  const child = spawn(program, programArgs, {
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
