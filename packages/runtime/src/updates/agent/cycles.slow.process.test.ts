/**
 * Repeats updates and rollbacks with kills at random moments. After each cycle the agent runs a complete version that
 * works, and its state is unchanged, byte for byte. The cycles of one chain are made with the same agent. The seed
 * determines the moments of the kills, but not the step that each kill hits. `npm test` leaves this out.
 * packages/runtime/src/updates/agent/update.process.test.ts proves the same rules.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { becomes, type Running } from '../../../testing/folder.ts'
import type { InstalledAgent } from '../../../testing/installed.ts'
import { randomOf, seed } from '../../../testing/random.ts'
import { partOf } from '../../../testing/strace.ts'
import { expectTheirs, type Lane, long, newUpdateSetup, runCases, type UpdateSetup } from '../../../testing/struck.ts'
import { expectWhole } from '../../../testing/updates.ts'
import { groupLives } from '../../machine/process/group.ts'
import { readNote } from '../../state/process-note.ts'
import { currentVersionFolder } from '../../state/versions/folders.ts'
import { readUpdate, type Update } from './journal.ts'

/** The number of chains, and of cycles in each; the long form has 1,000 cycles in all. */
const [chains, cycles] = long ? [40, 25] : [1, 2]
/** The maximum number of milliseconds before a kill. An update takes about half as long. */
const maxMs = 700

let w: UpdateSetup
beforeAll(async () => {
  w = await newUpdateSetup(long ? 8 : 2, 0.05)
})
afterAll(() => w.close())

const came = {
  cycles: 0,
  kills: 0,
  kept: 0,
  'not kept': 0,
  'back by a wish': 0,
  'back by a person': 0,
  'back alone': 0,
}

test('updates and rollbacks with kills at random moments: always a complete version, and the same state byte for byte', {
  timeout: 4 * 3_600_000,
}, async () => {
  const numbers = Array.from({ length: chains }, (_, i) => i)
  await runCases(w, long ? partOf(numbers) : numbers, (chain, lane) => lives(chain, lane))
  if (long) process.stderr.write(`seed ${seed}: ${JSON.stringify(came)}\n`)
  expect(came.kept).toBeGreaterThan(0)
})

async function lives(chain: number, lane: Lane): Promise<void> {
  const random = randomOf(seed * 1000 + chain)
  const agent = lane.copy()
  lane.offered.wish(undefined)
  let running: Running | undefined
  let over = false
  /**
   * Starts the runtime, and starts it again whenever it ends with exit code 1, which it does while `svc rollback` is
   * working in the folder.
   */
  const run = () => {
    const mine = lane.runs(agent)
    running = mine
    const again = () => running === mine && !over && run()
    mine.child.once('exit', (code) => code === 1 && setTimeout(again, 20))
  }
  run()
  const where = (what: string) => `seed ${seed}, chain ${chain}, cycle ${came.cycles}: ${what}`

  const killed = async () => {
    await running?.end('SIGKILL')
    came.kills++
    expectWhole(agent, [w.old, w.next])
  }
  /** Kills the runtime up to twice, at random moments, and starts it again after each kill. */
  const kills = async () => {
    for (let left = Math.floor(random() * 3); left > 0; left--) {
      await new Promise((resolve) => setTimeout(resolve, random() * maxMs))
      await killed()
      run()
    }
  }
  const rests = (what: string, holds: (now: Update) => boolean) =>
    restsAt(agent, w, where(what), () => running?.lines ?? [], holds)

  const forth = async (): Promise<Update> => {
    lane.offered.wish('1.5.0')
    await kills()
    const of = (version: string | undefined) => version === '1.5.0'
    return rests(
      'kept, held or to be tried again',
      (u) => of(u.running.version) || of(u.hold?.version) || of(u.retry?.version),
    )
  }
  const ways = {
    'back by a wish': async () => {
      lane.offered.wish('1.4.0')
      await kills()
    },
    'back by a person': async () => {
      lane.offered.wish(undefined)
      const asked = lane.svc(agent, ['rollback'])
      await kills()
      await asked
    },
    'back alone': async () => {
      lane.offered.wish(undefined)
      await killed()
      if (random() < 0.5) {
        const rollback = lane.starts(agent, ['rollback'])
        await new Promise((resolve) => setTimeout(resolve, random() * 200))
        await rollback.end('SIGKILL')
      } else await lane.svc(agent, ['rollback'])
      expectWhole(agent, [w.old, w.next])
      run()
    },
  }

  try {
    for (let i = 0; i < cycles; i++) {
      const { running: now } = await forth()
      came[now.version === '1.5.0' ? 'kept' : 'not kept']++
      if (now.version === '1.5.0') {
        const way = Object.keys(ways)[Math.floor(random() * 3)] as keyof typeof ways
        await ways[way]()
        came[way]++
        lane.offered.wish(undefined)
        // If a kill lost the request for a rollback, the person asks again.
        const { running: then } = await rests('at rest', () => true)
        if (then.version !== '1.4.0') await lane.svc(agent, ['rollback'])
        await rests('back', (u) => u.running.version === '1.4.0')
      }
      lane.offered.wish(undefined)
      const { hold, retry } = readUpdate(agent) ?? {}
      if (hold || retry) expect(await lane.svc(agent, ['unhold']), where('unhold')).toMatchObject({ code: 0 })
      for (const notes of ['starts', 'trace', 'work.log']) rmSync(join(agent.state, notes), { force: true })
      came.cycles++
    }
  } finally {
    over = true
    await running?.end()
    agent.remove()
  }
}

/**
 * Checks that the agent has come to rest: it runs in one process, of the version in place, and its state is unchanged.
 */
async function restsAt(
  agent: InstalledAgent,
  { old, next }: UpdateSetup,
  where: string,
  lines: () => readonly string[],
  holds: (now: Update) => boolean,
): Promise<Update> {
  const now = await becomes(where, () => {
    const now = readUpdate(agent) ?? { state: 'idle', running: { version: '1.4.0', sha256: old.sha256 }, rollbacks: [] }
    const { state, version } = readNote(agent) ?? {}
    const runs = state?.is === 'running' && groupLives(state.pid) && version === currentVersionFolder(agent)
    return (now.state === 'watching' || now.state === 'idle') && runs && holds(now) && now
  }).catch((error: unknown) => {
    throw new Error(`${error}\n${JSON.stringify([readUpdate(agent), readNote(agent)])}\n${lines().join('\n')}`)
  })
  expect(expectWhole(agent, [old, next]), where).toBe(now.running.version)
  expect(agent.starts().filter(({ pid }) => groupLives(pid)).length, where).toBeLessThanOrEqual(1)
  expectTheirs(agent, where)
  return now
}
