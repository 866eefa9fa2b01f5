/**
 * `npm test`: types, lint and format beside the unit tests, then the kinds of vitest.config.ts, the cheap ones first. At the
 * end: the time of each kind, the ten slowest files, and `N passed, N failed`. Arguments are a filter on file names:
 * `npm test -- reports`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { installed } from '../packages/server/testing/postgres.ts'
import { build } from './build.ts'
import { type Counts, countsOf, type FileTime, lastLine, sum, timesOf } from './testing/counts.ts'

const root = join(import.meta.dirname, '..')

interface Stage {
  readonly kinds: readonly string[]
  /** Processes wait for each other more than they work, so a third worker keeps two cores busy. */
  readonly workers: number
  /** The tests run what `npm run build` makes. */
  readonly needsBuild?: true
}
const stages: readonly Stage[] = [
  { kinds: ['unit'], workers: 2 },
  { kinds: ['store'], workers: 2 },
  { kinds: ['http'], workers: 2 },
  { kinds: ['process', 'browser'], workers: 3, needsBuild: true },
]
/** A run that hangs is ended and fails. The aim is fifteen minutes on two quiet cores; a busy machine may take longer. */
const limitMinutes = process.env.SVC_TEST_LONG ? 24 * 60 : 60

const filters = process.argv.slice(2)
const reports = join(root, '.cache/test')
const begun = performance.now()
const overdue = AbortSignal.timeout(limitMinutes * 60_000)
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const counts: Counts[] = []
const times: FileTime[] = []
const stageTimes: string[] = []
const checked = filters.length === 0 ? check() : undefined
for (const stage of stages) {
  const name = stage.kinds.join(' and ')
  const start = performance.now()
  title(name)
  if (stage.needsBuild && !(await built())) counts.push({ passed: 0, failed: 1, skipped: 0 })
  else await testsOf(stage)
  if (name === 'store' && process.env.SVC_TEST_LONG) await onOtherPostgres(stage)
  stageTimes.push(`${name} ${seconds(performance.now() - start)}`)
  if (name === 'unit' && checked) {
    const { output, ...result } = await checked
    title('types, lint, format')
    process.stdout.write(output)
    counts.push(result)
  }
}
const total = sum(counts)
console.log('\nThe slowest files:')
for (const { file, milliseconds } of times.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 10))
  console.log(`${seconds(milliseconds).padStart(7)}  ${relative(root, file)}`)
console.log(`\n${stageTimes.join(', ')}; together ${seconds(performance.now() - begun)}`)
console.log(lastLine(total))
process.exit(total.failed === 0 ? 0 : 1)

/** Runs beside the unit tests; its output is kept until they have ended. */
async function check(): Promise<Counts & { output: string }> {
  const child = spawn(process.execPath, [join(root, 'scripts/check.ts')], { cwd: root })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0, output }
}

/** The long run tests the stores on every PostgreSQL that is here: the first one is what they ran on already. */
async function onOtherPostgres(stage: Stage): Promise<void> {
  if (process.env.SVC_TEST_POSTGRES || process.env.SVC_TEST_DATABASE_URL) return
  const [first, ...others] = [...new Set(installed().map(({ version }) => version))]
  if (others.length === 0) console.log(`There is only PostgreSQL ${first} here: install Debian's too, or npm's.`)
  for (const version of others) {
    title(`store, PostgreSQL ${version}`)
    await testsOf(stage, { SVC_TEST_POSTGRES: version })
  }
}

async function testsOf({ kinds, workers }: Stage, env: Record<string, string> = {}): Promise<void> {
  const report = join(reports, `${[...kinds, ...Object.values(env)].join('-')}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = kinds.flatMap((kind) => ['--project', kind])
  const args = ['run', ...projects, `--maxWorkers=${workers}`, '--passWithNoTests', ...reporters, ...filters]
  const code = await run([vitest, ...args], env)
  counts.push(countsOf(report, code))
  times.push(...timesOf(report))
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

/** Runs a program of the checkout on this Node and answers its exit code; a signal or the limit counts as 1. */
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
  console.log(`\n== ${text} (${seconds(performance.now() - begun)})`)
}
