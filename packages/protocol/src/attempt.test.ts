import { expect, test } from 'vitest'
import { readAttempt } from './attempt.ts'

test('the message of an attempt is taken apart for people', () => {
  expect(readAttempt('0.1.0 -> 0.2.0, 2026-11-22T06:55:08.743Z: kept')).toEqual({
    from: '0.1.0',
    to: '0.2.0',
    at: Date.UTC(2026, 10, 22, 6, 55, 8, 743),
    reason: 'kept',
  })
  expect(readAttempt('1.0.0 -> 1.1.0, 2026-11-22T06:55:08Z: its level is bad: 3: 4')?.reason).toBe(
    'its level is bad: 3: 4',
  )
})

test.each(['installed', '', '0.1.0 -> 0.2.0: rolled back.', 'a -> b, 2026-99-22T06:55:08Z: x', 'a -> b, soon: x'])(
  'a message of another form stays as it is: %j',
  (message) => expect(readAttempt(message)).toBeUndefined(),
)
