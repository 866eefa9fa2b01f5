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
