/**
 * Tests an update and its rollback on a disk that hangs: one system call of the worker does not return. The
 * launcher gives up that thread and starts another one, which does what the journal and `current` say, as after a
 * kill; the agent is not affected. A call that returns after its thread was given up does no harm, and one that never
 * returns does not delay the end of the process. `npm test` leaves this out.
 * packages/runtime/src/updates/agent/table.test.ts proves the same rules.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { becomes, type Running } from '../../../testing/folder.ts'
import type { InstalledAgent } from '../../../testing/installed.ts'
import { partOf } from '../../../testing/strace.ts'
import {
  attachToThread,
  expectRests,
  hangsAt,
  hasEnded,
  heldUntil,
  isWholeForm,
  type Lane,
  long,
  missing,
  newUpdateSetup,
  type Point,
  pointsOf,
  restingVersion,
  runCases,
  type Strace,
  type UpdateSetup,
  withJournal,
} from '../../../testing/struck.ts'
import { restOf } from '../../../testing/updates.ts'
import { currentVersionFolder } from '../../state/versions/folders.ts'
import { readUpdate } from './journal.ts'
import type { UpdateState } from './moves.ts'

const ways = ['never returns', 'returns late'] as const
type Way = (typeof ways)[number]
interface Case {
  readonly point: Point
  readonly way: Way
  /**
   * Which calls the number in `point` counts: those made from this state of the journal on or, for `swap`, those on the
   * link that becomes `current`. By default all calls count.
   */
  readonly from?: UpdateState | 'swap'
}
const named: readonly Case[] = [
  { point: ['rename', 1], from: 'swap', way: 'returns late' },
  { point: ['rename', 1], from: 'proving', way: 'never returns' },
  { point: ['rename', 2], from: 'swap', way: 'returns late' },
  { point: ['rename', 1], from: 'swap', way: 'never returns' },
  { point: ['rename', 2], from: 'swap', way: 'never returns' },
  ...([1, 2, 3, 4].flatMap((n) =>
    (['proving', 'watching'] as const).flatMap((from) => ways.map((way) => ({ point: ['rename', n], from, way }))),
  ) as Case[]),
]
const few = 3
const states = ['none', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing', 'idle']

let w: UpdateSetup
beforeAll(async () => {
  w = await newUpdateSetup(long ? 14 : 3)
})
afterAll(() => w.close())

test.skipIf(missing !== undefined)(
  'after a call to the disk hangs in a state of an update, another thread brings it to rest, as after a kill',
  { timeout: 4 * 3_600_000 },
  async () => {
    // Calls of `write` are left out: threads also use them to wake each other, and no disk can block that.
    const points = long ? (await pointsOf(w, 'worker')).filter(([kind]) => kind !== 'write') : []
    const every = [...named, ...points.map((point, i): Case => ({ point, way: ways[i % 2] as Way }))]
    const cases = long ? partOf(every) : every.slice(0, few)
    const fell = new Map<string, number>()
    await runCases(w, cases, async (one, lane) => {
      const state = await hangs(one, lane)
      fell.set(state, (fell.get(state) ?? 0) + 1)
    })
    if (long) process.stderr.write(`${cases.length} hangs: ${JSON.stringify(Object.fromEntries(fell))}\n`)
    if (!long) expect([...fell.keys()].sort()).toEqual(['proving', 'swapping', 'undoing'])
    if (isWholeForm) expect([...fell.keys()]).toEqual(expect.arrayContaining(states))
  },
)

/** Runs one case. Returns the state of the journal when the call hung, or `unharmed` if the run ended before that. */
async function hangs({ point, way, from }: Case, lane: Lane): Promise<string> {
  const agent = lane.copy()
  lane.offered.wish(undefined)
  const running = lane.runs(agent)
  const where = `${point.join(' ')}${from ? ` from ${from}` : ''} ${way}`
  const comes = <T>(what: string, check: () => T | undefined | false) =>
    becomes(`${where}: ${what}`, check).catch(withJournal(agent, running))
  let strace: Strace | undefined
  try {
    await comes('the agent', () => agent.starts().length > 0)
    const inject = [hangsAt(point, 36_000)]
    const swap = join(agent.root, '.current.new')
    if (from !== undefined && from !== 'swap') lane.offered.wish('1.5.0')
    strace =
      from === undefined || from === 'swap'
        ? await attachToThread(w, running, 'worker', inject, from && swap)
        : await heldUntil(w, running, () => readUpdate(agent)?.state === from, inject)
    const hung = () => running.lines.some((line) => line.includes('it hung'))
    lane.offered.wish('1.5.0')
    const state = () => readUpdate(agent)?.state
    await comes('kept or hung', () => hung() || state() === 'watching' || readUpdate(agent)?.retry)
    lane.offered.wish(undefined)
    const asked = hung() ? undefined : lane.svc(agent, ['rollback'])
    if (asked) await Promise.race([asked, becomes(`${where}: asked or hung`, hung).catch(() => {})])
    const stood = hung() ? (state() ?? 'none') : 'unharmed'
    if (hung()) await expectGoesOn(agent, lane, running, `${where} (${stood})`)
    await asked
    await (way === 'returns late' ? lateThenKilled(running, strace) : stopped(where, running))
    await strace.end('SIGKILL')
    await expectRests(w, lane, agent, `${where} (${stood}), the next start`)
    return stood
  } finally {
    await strace?.end('SIGKILL')
    await running.end('SIGKILL')
    agent.remove()
  }
}

/**
 * Checks that the update continues in the same process of the runtime, and that the agent is not restarted if it runs
 * the version to which `current` leads.
 */
async function expectGoesOn(agent: InstalledAgent, lane: Lane, running: Running, where: string): Promise<void> {
  const wanted = restOf(agent, w.next)
  const since = lane.service.reports.length
  const starts = agent.starts()
  const ran = basename(starts.at(-1)?.cwd ?? '')
  const led = currentVersionFolder(agent)
  const version = await becomes(`${where}: rest`, () => restingVersion(w, lane, agent, since)).catch(
    withJournal(agent, running),
  )
  const { outcome, message } = lane.service.reports.at(-1)?.report.applied ?? {}
  expect({ version, outcome }, `${where}: ${message}`).toEqual(wanted)
  const { length } = agent.starts()
  if (ran === led && led === currentVersionFolder(agent)) expect(length, where).toBe(starts.length)
}

/** Lets the call that hung complete, and then kills the process. */
async function lateThenKilled(running: Running, strace: Strace): Promise<void> {
  await strace.end()
  await new Promise((resolve) => setTimeout(resolve, 200))
  await running.end('SIGKILL')
}

/**
 * Checks that the process ends although one of its threads does not return. strace keeps the ended process visible as a
 * zombie.
 */
async function stopped(where: string, running: Running): Promise<void> {
  running.child.kill('SIGTERM')
  const status = `/proc/${running.child.pid}/status`
  await becomes(`${where}: its end`, () => hasEnded(running) || /State:\tZ/.test(readFileSync(status, 'utf8')))
}
