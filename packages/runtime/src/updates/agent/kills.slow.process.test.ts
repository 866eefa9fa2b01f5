/**
 * Tests an update and its rollback with the runtime killed at its system calls (docs/decisions/kills.md, I17 to I20):
 * first the thread of the worker, then that of the launcher, then `svc rollback` without a runtime. In the
 * last test a system call fails instead. After each kill or failure, a start must do what the journal and `current`
 * say. `npm test` leaves this out. packages/runtime/src/updates/agent/table.test.ts proves the same rules.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { InstalledAgent } from '../../../testing/installed.ts'
import {
  chooseCases,
  expectRests,
  failsAt,
  isWholeForm,
  killedAt,
  type Lane,
  long,
  missing,
  newUpdateSetup,
  type Point,
  pointsIn,
  pointsOf,
  rollbackAlone,
  runCases,
  type Thread,
  type UpdateSetup,
  wholeWay,
} from '../../../testing/struck.ts'
import { expectWhole } from '../../../testing/updates.ts'
import { readUpdate } from './journal.ts'

let w: UpdateSetup
beforeAll(async () => {
  w = await newUpdateSetup(long ? 6 : 2)
})
afterAll(() => w.close())
const timeout = 4 * 3_600_000

/**
 * Runs `strike`, in which a system call of the runtime kills it or fails, checks that one complete version is in place,
 * and starts the runtime again. Returns the state of the journal at the kill, or `unharmed` if there was none.
 */
async function struck(
  agent: InstalledAgent,
  lane: Lane,
  where: string,
  strike: () => Promise<{ killed: boolean }>,
  wanted?: 'anywhere',
): Promise<string> {
  try {
    const { killed } = await strike()
    const state = killed ? (readUpdate(agent)?.state ?? 'none') : 'unharmed'
    expectWhole(agent, [w.old, w.next])
    await expectRests(w, lane, agent, `${where} (${state})`, wanted)
    return state
  } finally {
    agent.remove()
  }
}
const counted = (states: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(states)].map((state) => [state, states.filter((s) => s === state).length]))
const say = (what: string, states: readonly string[]) =>
  long && process.stderr.write(`${what}: ${states.length} points: ${JSON.stringify(counted(states))}\n`)

const threads: readonly (readonly [Thread, min: number, few: number, fell: readonly string[]])[] = [
  ['worker', 150, 2, ['none', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing']],
  ['launcher', 60, 1, ['none', 'proving', 'watching']],
]
test.skipIf(missing !== undefined).each(threads)(
  'the %s killed at a system call: the next start does what the journal and current say',
  { timeout },
  async (thread, min, few, fell) => {
    const points = await pointsOf(w, thread)
    expect(points.length).toBeGreaterThan(min)
    const states: string[] = []
    await runCases(w, chooseCases(points, few), async (point, lane) => {
      const agent = lane.copy()
      const strike = () => wholeWay(w, lane, agent, [killedAt(point)], thread)
      states.push(await struck(agent, lane, `${thread} killed at ${point.join(' ')}`, strike))
    })
    say(`${thread} killed`, states)
    if (isWholeForm) expect(states).toEqual(expect.arrayContaining([...fell]))
  },
)

test.skipIf(missing !== undefined)(
  '"svc rollback" without a runtime, killed at a system call: the next start finishes it, or nothing was started',
  { timeout },
  async () => {
    const [first] = w.lanes
    const agent = await first?.updated()
    if (!agent) throw new Error('There is no lane.')
    const { killed, out } = await rollbackAlone(w, agent)
    expect(killed).toBe(false)
    expect(readUpdate(agent)).toMatchObject({
      state: 'idle',
      running: { version: '1.4.0' },
      hold: { version: '1.5.0' },
    })
    agent.remove()
    const points = pointsIn(out)
    expect(points.length).toBeGreaterThan(40)
    const states: string[] = []
    await runCases(w, chooseCases(points, 1), async (point, lane) => {
      const agent = await lane.updated()
      const strike = () => rollbackAlone(w, agent, [killedAt(point)])
      states.push(await struck(agent, lane, `rollback killed at ${point.join(' ')}`, strike))
    })
    say('"svc rollback" killed', states)
    if (isWholeForm) expect(states).toEqual(expect.arrayContaining(['watching', 'undoing', 'idle']))
  },
)

const errors = ['ENOSPC', 'EIO'] as const
test.skipIf(missing !== undefined)(
  `a disk that fails once with ${errors.join(' or ')}: it ends at a complete version, and so does the next start`,
  { timeout },
  async () => {
    // calls of `write` are left out, since threads also use them to wake each other
    const points = (await pointsOf(w, 'worker')).filter(([kind]) => kind !== 'write')
    const cases = points.flatMap((point) => errors.map((error) => [point, error] as const))
    const states: string[] = []
    const reached = () => states.filter((state) => state !== 'not reached').length
    // Runs differ by a few calls, so a call with a given number may not be reached. The short form continues until one
    // was reached.
    await runCases(w, chooseCases<readonly [Point, string]>(cases, 7), async ([point, error], lane) => {
      if (!long && reached() >= 1) return
      const agent = lane.copy()
      let failed = false
      const strike = async () => {
        const way = await wholeWay(w, lane, agent, [failsAt(point, error)])
        failed = readFileSync(way.out, 'utf8').includes('(INJECTED)')
        return way
      }
      await struck(agent, lane, `${error} at ${point.join(' ')}`, strike, 'anywhere')
      states.push(failed ? error : 'not reached')
    })
    say('disk that failed', states)
    expect(reached()).toBeGreaterThanOrEqual(long ? states.length / 2 : 1)
  },
)
