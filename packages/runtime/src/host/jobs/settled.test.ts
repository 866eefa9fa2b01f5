import { expect, test } from 'vitest'
import type { FoundJobs } from './reader.ts'
import { nothingSeen } from './seen.ts'
import { settleJobs } from './settled.ts'

const now = 1_800_000_000
const found = { jobs: [], unrecorded: [] } as unknown as FoundJobs

test.each(['read', 'looked', 'woke', 'slept', 'zoned'])('the time `%s` of the note is not later than now', (name) => {
  const settled = (at: number) => settleJobs(found, { ...nothingSeen, [name]: at }, now).seen
  expect(settled(now + 3 * 3600)).toEqual({ ...nothingSeen, [name]: now })
  expect(settled(now - 60)).toEqual({ ...nothingSeen, [name]: now - 60 })
})

test('runs that live count from the starts of their processes once the clock was set back', () => {
  const hour = 3600
  const run = (minute: number) => ({
    ...{ id: `${minute}-a`, status: 'running', started: now + 3 * hour - minute * 60, began: now - minute * 60 },
  })
  const jobs = [{ name: 'hang', runs: [run(3), run(6)] }]
  const first = settleJobs({ ...found, jobs } as unknown as FoundJobs, nothingSeen, now)
  const starts = ({ found: { jobs } }: typeof first) => jobs[0]?.runs.map(({ started }) => started)
  expect(starts(first)).toEqual([now - 180, now - 360])
  const later = settleJobs({ ...found, jobs } as unknown as FoundJobs, first.seen, now + 600)
  expect(starts(later)).toEqual([now - 180, now - 360])
})
