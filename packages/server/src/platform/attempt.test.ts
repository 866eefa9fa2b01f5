import { expect, test } from 'vitest'
import { newClock } from '../../testing/test-workspace.ts'
import { createAttempts } from './attempt.ts'

/** Attempts of two jobs, and the jobs and items that are logged as failed. */
function start() {
  const clock = newClock()
  const lines: string[] = []
  const log = { warn: ({ job, item = '' }: { job: string; item?: string }) => lines.push(`${job} ${item}`) }
  const attempts = createAttempts({ log: log as never, now: clock.now })
  const tries = async (job: string, item: string, isBroken: boolean) =>
    attempts(job)(item, async () => {
      if (isBroken) throw new Error('broken')
    })
  return { clock, lines, tries }
}

test('a failure is logged once for each item of each job, and resolves with false', async () => {
  const { lines, tries } = start()
  for (let round = 0; round < 2; round++) {
    expect(await tries('actions', 'a', true)).toBe(false)
    expect(await tries('actions', 'b', true)).toBe(false)
    expect(await tries('rollouts', 'a', true)).toBe(false)
    expect(await tries('rollouts', '', true)).toBe(false)
    expect(await tries('actions', 'c', false)).toBe(true)
  }
  expect(lines).toEqual(['actions a', 'actions b', 'rollouts a', 'rollouts '])
})

test.each([
  ['an hour', async (s: ReturnType<typeof start>) => s.clock.pass(3600), 2],
  ['less than an hour', async (s: ReturnType<typeof start>) => s.clock.pass(3599), 1],
  ['a success', (s: ReturnType<typeof start>) => s.tries('actions', 'a', false), 2],
  ['a success of another item', (s: ReturnType<typeof start>) => s.tries('actions', 'b', false), 1],
])('after %s, a failure that goes on has been logged so often', async (_, then, times) => {
  const s = start()
  await s.tries('actions', 'a', true)
  await then(s)
  await s.tries('actions', 'a', true)
  expect(s.lines).toEqual(Array(times).fill('actions a'))
})
