import { expect, test } from 'vitest'
import { inServiceTime, serviceClock } from './exchange.ts'

const minute = 60_000
const hour = 60 * minute
const service = Date.parse('2026-11-27T04:00:00Z')

/** An answer came when the machine's clock was wrong by `wrong`; `wall` and `mono` passed since then. */
const table: readonly (readonly [what: string, wrong: number, wall: number, mono: number, served: number])[] = [
  ['both clocks are right', 0, minute, minute, minute],
  ['the machine is three hours behind', -3 * hour, minute, minute, minute],
  ['the machine is three hours ahead', 3 * hour, minute, minute, minute],
  ['the clock was set back since the answer', 0, minute - 3 * hour, minute, minute],
  ['the clock was set right since the answer', -3 * hour, 3 * hour + minute, minute, 3 * hour + minute],
  ['the machine slept since the answer', 0, 8 * hour, minute, 8 * hour],
  ['a machine that is behind slept since the answer', -3 * hour, 8 * hour, minute, 8 * hour],
]
test.each(table)('a file that was just written is new for the service: %s', (_what, wrong, wall, mono, served) => {
  const clock = serviceClock(new Date(service).toUTCString(), { now: service + wrong, mono: 1000 })
  const now = service + wrong + wall
  expect(inServiceTime(now - 2000, clock, { now, mono: 1000 + mono })).toBe(service + served - 2000)
})

test('a difference of less than a minute changes nothing, and neither does an answer without a time', () => {
  const clock = serviceClock(new Date(service).toUTCString(), { now: service - 50_000, mono: 0 })
  expect(inServiceTime(service, clock, { now: service - 40_000, mono: 10_000 })).toBe(service)
  for (const date of [undefined, '', 'yesterday'])
    expect(inServiceTime(service, serviceClock(date, { now: 0, mono: 0 }), { now: 0, mono: 0 })).toBe(service)
})
