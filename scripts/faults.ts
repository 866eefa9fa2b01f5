/**
 * `npm run test:faults` proves that the tests still notice mistakes. It makes each fault of testing/faults in a
 * copy of the working tree and expects each of the fault's test files to fail; the run ends at the first test file that
 * does not. `-- NAME` runs only matching faults, `--at FOLDER` copies another checkout, and `--all` continues after a
 * fault that was not caught.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Copy, copyOf } from '../testing/faults/copy.ts'
import { type Fault, kindOf, withFault } from '../testing/faults/fault.ts'
import { faults } from '../testing/faults/index.ts'
import { endLeftovers } from '../testing/faults/leftovers.ts'
import { judgeRun, type Verdict, type VitestReport } from '../testing/faults/verdict.ts'
import type { Level } from '../testing/level.ts'

/** The time limit of one test run in milliseconds. A run that reaches the limit proves nothing. */
const limitMs = 10 * 60_000
const { values, positionals } = parseArgs({
  options: { at: { type: 'string' }, all: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const checkout = resolve(values.at ?? join(import.meta.dirname, '..'))
const chosen = faults.filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
if (chosen.length === 0) end(2, `No fault has "${positionals.join('" or "')}" in its name.`)
for (const fault of chosen) withFault(readFileSync(join(checkout, fault.file), 'utf8'), fault)

const copy = copyOf(checkout)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('exit', () => {
  endLeftovers(copy.temporary)
  copy.remove()
})
const uncaught: string[] = []
await mustBeGreen([...new Set(chosen.flatMap(({ tests }) => tests))])
for (const [i, fault] of chosen.entries()) await expectCaught(fault, `${i + 1} of ${chosen.length}`)
if (uncaught.length > 0) end(1, `Not caught: ${uncaught.join(', ')}.`)
console.log(`All ${chosen.length} faults were caught.`)

/** Ends the program unless the tests pass without a fault, because otherwise a failing test would prove nothing. */
async function mustBeGreen(tests: readonly string[]): Promise<void> {
  console.log(`Running ${tests.length} test files without a fault, in ${copy.root}`)
  const builds = tests.some(needsBuild)
  if (builds && !build(copy)) end(1, 'The copy could not be built.')
  copy.keepBuilt()
  const from = performance.now()
  const verdict = await run(tests, 2)
  if (verdict.is !== 'green')
    end(
      1,
      `Refused: without a fault ${verdict.is === 'caught' ? `"${verdict.by}" fails: ${verdict.says}` : verdict.why}.`,
    )
  console.log(`They pass (${secondsSince(from)}).`)
}

async function expectCaught(fault: Fault, place: string): Promise<void> {
  const from = performance.now()
  const putBack = copy.make(fault)
  try {
    for (const test of fault.tests) {
      const verdict: Verdict =
        needsBuild(test) && !build(copy)
          ? { is: 'broken', why: 'the copy could not be built with it' }
          : await run([test])
      const time = secondsSince(from)
      if (verdict.is === 'caught') console.log(`${place}  ${fault.name}: caught by "${verdict.by}", ${test} (${time})`)
      else notCaught(fault, test, verdict.is === 'broken' ? verdict.why : 'every test passed', time)
    }
  } finally {
    putBack()
  }
}

function notCaught({ name, harm, file, old, new: mistaken }: Fault, test: string, why: string, time: string): void {
  console.error(
    `NOT CAUGHT  ${name} (${time}): ${why}\n  ${harm}\n  ${file}: ${old}\n  became: ${mistaken}\n  ran: ${test}`,
  )
  uncaught.push(name)
  if (!values.all) process.exit(1)
}

async function run(tests: readonly string[], workers = 1): Promise<Verdict> {
  const report = join(copy.root, '.cache/faults.json')
  rmSync(report, { force: true })
  const kinds = [...new Set(tests.map(kindOf))]
  const args = ['run', ...kinds.flatMap((kind) => ['--project', `${kind}*`]), '--bail=1', `--maxWorkers=${workers}`]
  const reporters = ['--reporter=json', `--outputFile=${report}`]
  const vitest = join(copy.root, 'node_modules/vitest/vitest.mjs')
  const env = { ...process.env, TMPDIR: copy.temporary, SVC_TEST_LEVEL: levelOf(tests) }
  const child = spawn(process.execPath, [vitest, ...args, ...reporters, ...tests], {
    cwd: copy.root,
    env,
    stdio: 'ignore',
    detached: true,
  })
  let late = false
  const killAll = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  const timer = setTimeout(() => {
    late = true
    killAll()
  }, limitMs)
  process.once('exit', killAll)
  await once(child, 'exit')
  process.off('exit', killAll)
  clearTimeout(timer)
  endLeftovers(copy.temporary)
  return late
    ? { is: 'broken', why: `the run took more than ${limitMs / 60_000} minutes` }
    : judgeRun(readReport(report))
}

/**
 * The amount of testing that must notice a fault: that of `npm test`, or `all` if a file is slow. It is never `long`:
 * that level is seldom run, so a fault that only `long` notices counts as not caught.
 */
function levelOf(tests: readonly string[]): Level {
  return tests.some((test) => test.includes('.slow.')) ? 'all' : 'short'
}

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport
  } catch {
    return undefined
  }
}

/** True for process and browser tests, which start the product that `npm run build` makes. */
function needsBuild(test: string): boolean {
  return kindOf(test) === 'process' || kindOf(test) === 'browser'
}

function build({ root }: Copy): boolean {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts', '--quiet'], { cwd: root, stdio: 'inherit' })
  return status === 0
}

function secondsSince(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(0)} s`
}

function end(code: number, message: string): never {
  console.error(message)
  process.exit(code)
}
