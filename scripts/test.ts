/**
 * `npm test`: types, lint and format, then the tests in the order of vitest.config.ts, kind by kind. The last line says
 * `N passed, N failed`. Arguments are a filter on file names: `npm test -- reports`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../packages/server/testing/postgres.ts'
import { build } from './build.ts'
import { type Counts, countsOf, lastLine, sum } from './testing/counts.ts'

const root = join(import.meta.dirname, '..')
const kinds = ['unit', 'store', 'http', 'process', 'browser'] as const
/** These run what `npm run build` makes. */
const needBuild: readonly string[] = ['process', 'browser']
/** A run that hangs is ended and fails. The aim is fifteen minutes on two quiet cores; a busy machine may take longer. */
const limitMinutes = process.env.SVC_TEST_LONG ? 24 * 60 : 60

const filters = process.argv.slice(2)
const reports = join(root, '.cache/test')
const begun = performance.now()
const overdue = AbortSignal.timeout(limitMinutes * 60_000)
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const counts: Counts[] = []
if (filters.length === 0) counts.push(await check())
for (const kind of kinds) {
  title(kind)
  if (needBuild.includes(kind) && !(await built())) counts.push({ passed: 0, failed: 1, skipped: 0 })
  else counts.push(await testsOf(kind))
  if (kind === 'store' && process.env.SVC_TEST_LONG) await onOtherPostgres()
}
const total = sum(counts)
console.log(`\n${((performance.now() - begun) / 1000).toFixed(0)} s`)
console.log(lastLine(total))
process.exit(total.failed === 0 ? 0 : 1)

async function check(): Promise<Counts> {
  title('types, lint, format')
  const failed = (await run([join(root, 'scripts/check.ts')])) === 0 ? 0 : 1
  return { passed: 0, failed, skipped: 0 }
}

/** The long run tests the stores on every PostgreSQL that is here: the first one is what they ran on already. */
async function onOtherPostgres(): Promise<void> {
  if (process.env.SVC_TEST_POSTGRES || process.env.SVC_TEST_DATABASE_URL) return
  const [first, ...others] = [...new Set(installed().map(({ version }) => version))]
  if (others.length === 0) console.log(`There is only PostgreSQL ${first} here: install Debian's too, or npm's.`)
  for (const version of others) {
    title(`store, PostgreSQL ${version}`)
    counts.push(await testsOf('store', { SVC_TEST_POSTGRES: version }))
  }
}

async function testsOf(kind: string, env: Record<string, string> = {}): Promise<Counts> {
  const report = join(reports, `${[kind, ...Object.values(env)].join('-')}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const code = await run([vitest, 'run', '--project', kind, '--passWithNoTests', ...reporters, ...filters], env)
  return countsOf(report, code)
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

function title(text: string): void {
  console.log(`\n== ${text} (${((performance.now() - begun) / 1000).toFixed(0)} s)`)
}
