/**
 * Tests pairs of kills: the first at a system call of an update and its rollback, the second at a system call of the
 * start that recovers from the first. The start after both must do what the journal and `current` say, as after a
 * single kill (docs/decisions/kills.md). `npm test` leaves this out.
 * packages/runtime/src/updates/agent/update.process.test.ts proves the same rules.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { becomes } from '../../../testing/folder.ts'
import type { InstalledAgent } from '../../../testing/installed.ts'
import { randomOf, seed } from '../../../testing/random.ts'
import { partOf } from '../../../testing/strace.ts'
import {
  expectRests,
  hasEnded,
  type Kind,
  killedAt,
  type Lane,
  long,
  missing,
  newUpdateSetup,
  type Point,
  pointsOf,
  restingVersion,
  runCases,
  runsTraced,
  type UpdateSetup,
  wholeWay,
} from '../../../testing/struck.ts'
import { expectWhole } from '../../../testing/updates.ts'
import { readUpdate } from './journal.ts'

const pairs = long ? 500 : 1
/**
 * The approximate number of system calls of each kind in a start: in a start with little to recover, and in one that
 * proves or rolls back a version.
 */
const inAStart = {
  little: { rename: 4, fsync: 2, unlink: 3, mkdir: 14, openat: 80, write: 26 },
  much: { rename: 6, fsync: 5, unlink: 2, mkdir: 18, openat: 85, write: 28, symlink: 1 },
} as const satisfies Record<string, Partial<Record<Kind, number>>>

let w: UpdateSetup
beforeAll(async () => {
  w = await newUpdateSetup(long ? 6 : 2)
})
afterAll(() => w.close())

const makesGood = new Set(['swapping', 'proving', 'undoing'])
const one = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T

test.skipIf(missing !== undefined)(
  `${pairs} pairs of kills: after both the next start does what the journal and current say`,
  { timeout: 4 * 3_600_000 },
  async () => {
    const points = await pointsOf(w, 'worker')
    const first = [...new Set(points.map(([kind]) => kind))].map((kind) => points.filter(([k]) => k === kind))
    const fell = new Map<string, number>()
    const numbers = Array.from({ length: pairs }, (_, i) => i)
    let tries = 0
    await runCases(w, long ? partOf(numbers) : numbers, async (number, lane) => {
      const random = randomOf(seed * 1000 + number)
      for (let states: string[] | undefined; states === undefined; ) {
        expect(++tries).toBeLessThan(20 * pairs)
        states = await pair(lane, `seed ${seed}, pair ${number}`, one(one(first, random), random), (state) => {
          const [kind, max] = one(Object.entries(inAStart[makesGood.has(state) ? 'much' : 'little']), random)
          return [kind as Kind, 1 + Math.floor(random() * max)]
        })
        const fallen = states?.join(', ')
        if (fallen) fell.set(fallen, (fell.get(fallen) ?? 0) + 1)
      }
    })
    if (long) process.stderr.write(`seed ${seed}, ${tries} tries: ${JSON.stringify(Object.fromEntries(fell))}\n`)
    expect([...fell.values()].reduce((a, b) => a + b, 0)).toBe(long ? partOf(numbers).length : pairs)
  },
)

/**
 * Runs a pair of kills. Returns the states of the journal after each of them; undefined if one of the kills did not
 * happen.
 */
async function pair(
  lane: Lane,
  where: string,
  first: Point,
  second: (state: string) => Point,
): Promise<string[] | undefined> {
  const agent = lane.copy()
  try {
    const { killed } = await wholeWay(w, lane, agent, [killedAt(first)])
    if (!killed) return undefined
    const states = [readUpdate(agent)?.state ?? 'none']
    expectWhole(agent, [w.old, w.next])
    const then = second(states[0] ?? '')
    if (!(await killedAgain(lane, agent, where, then))) return undefined
    states.push(readUpdate(agent)?.state ?? 'none')
    const points = `${where}: ${first.join(' ')} (${states[0]}), then ${then.join(' ')} (${states[1]})`
    await expectRests(w, lane, agent, points)
    return states
  } finally {
    agent.remove()
  }
}

async function killedAgain(lane: Lane, agent: InstalledAgent, where: string, point: Point): Promise<boolean> {
  const since = lane.service.reports.length
  const { running, strace } = await runsTraced(w, lane, agent, [killedAt(point)])
  try {
    await becomes(
      `${where}: killed again, or at rest`,
      () => hasEnded(running) || restingVersion(w, lane, agent, since),
    )
    return hasEnded(running)
  } finally {
    await running.end()
    await strace.end()
  }
}
