/**
 * Pairs of kills: the first at a system call of an update and the way back, the second at one of the start that has to make good what the first
 * left. What the start after both comes to, the journal and `current` say, as after one (rules for kills).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { becomes } from '../../testing/folder.ts'
import type { InstalledAgent } from '../../testing/installed.ts'
import {
  all,
  expectRests,
  gone,
  type Kind,
  killedAt,
  type Lane,
  long,
  missing,
  type Point,
  part,
  pointsOf,
  randomOf,
  rests,
  runsTraced,
  seed,
  type World,
  wholeWay,
  world,
} from '../../testing/struck.ts'
import { expectWhole } from '../../testing/updates.ts'
import { readUpdate } from './journal.ts'

const pairs = long ? 500 : 2
/** A start that makes something good calls so often, about. */
const inAStart: readonly (readonly [Kind, most: number])[] = [
  ['rename', 6],
  ['fsync', 6],
  ['unlink', 5],
  ['mkdir', 18],
  ['openat', 85],
  ['write', 28],
  ['symlink', 1],
]

let w: World
beforeAll(async () => {
  w = await world(long ? 6 : 2)
})
afterAll(() => w.close())

const one = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T

test.skipIf(missing !== undefined)(
  `${pairs} pairs of kills: after both the next start comes to what the journal and current say`,
  { timeout: 4 * 3_600_000 },
  async () => {
    const points = await pointsOf(w, 'worker')
    const first = [...new Set(points.map(([kind]) => kind))].map((kind) => points.filter(([k]) => k === kind))
    const fell = new Map<string, number>()
    const numbers = Array.from({ length: pairs }, (_, i) => i)
    let tries = 0
    await all(w, long ? part(numbers) : numbers, async (number, lane) => {
      const random = randomOf(seed * 1000 + number)
      for (let states: string[] | undefined; states === undefined; ) {
        expect(++tries).toBeLessThan(20 * pairs)
        states = await pair(lane, `seed ${seed}, pair ${number}`, one(one(first, random), random), () => {
          const [kind, most] = one(inAStart, random)
          return [kind, 1 + Math.floor(random() * most)]
        })
        const fallen = states?.join(', ')
        if (fallen) fell.set(fallen, (fell.get(fallen) ?? 0) + 1)
      }
    })
    if (long) process.stderr.write(`seed ${seed}, ${tries} tries: ${JSON.stringify(Object.fromEntries(fell))}\n`)
    expect([...fell.values()].reduce((a, b) => a + b, 0)).toBe(long ? part(numbers).length : pairs)
  },
)

/** Where the journal stood after each of them; undefined when one of them did not strike. */
async function pair(lane: Lane, where: string, first: Point, second: () => Point): Promise<string[] | undefined> {
  const agent = lane.copy()
  try {
    const { killed } = await wholeWay(w, lane, agent, [killedAt(first)])
    if (!killed) return undefined
    const states = [readUpdate(agent)?.state ?? 'none']
    expectWhole(agent, [w.old, w.next])
    const then = second()
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
    await becomes(`${where}: killed again, or at rest`, () => gone(running) || rests(w, lane, agent, since))
    return gone(running)
  } finally {
    await running.end()
    await strace.end()
  }
}
