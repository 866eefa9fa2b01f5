import { expect, test } from 'vitest'
import { readAttemptText, readPauseText } from './runtime-texts.ts'

const at = Date.UTC(2026, 10, 22, 6, 45, 57)

test.each([
  [
    'Since 2026-11-22 06:45:57 UTC, by the service (command 01a2-4c44).',
    { by: 'service', command: '01a2-4c44', rest: '' },
  ],
  ['Since 2026-11-22 06:45:57 UTC, by the service.', { by: 'service', rest: '' }],
  ['Since 2026-11-22 06:45:57 UTC, on this machine by ada.', { by: 'machine', user: 'ada', rest: '' }],
  ['Since 2026-11-22 06:45:57 UTC, on this machine.', { by: 'machine', rest: '' }],
  [
    'Since 2026-11-22 06:45:57 UTC. 2 runs are still finishing.',
    { by: undefined, rest: '2 runs are still finishing.' },
  ],
  [
    'Since 2026-11-22 06:45:57 UTC, on this machine by j.doe. Its process is still ending.',
    { by: 'machine', user: 'j.doe', rest: 'Its process is still ending.' },
  ],
])('the detail of a pause is read: %s', (detail, parts) => expect(readPauseText(detail)).toEqual({ at, ...parts }))

test.each([
  '',
  'Since noon.',
  'Since 2026-99-22 06:45:57 UTC.',
  'Paused: Since 2026-11-22 06:45:57 UTC.',
  'Since an unknown time.',
])('another text is no detail of a pause: %s', (detail) => expect(readPauseText(detail)).toBeUndefined())

test('the message of an attempt is taken apart for people', () => {
  expect(readAttemptText('0.1.0 -> 0.2.0, 2026-11-22T06:55:08.743Z: kept')).toEqual({
    from: '0.1.0',
    to: '0.2.0',
    at: Date.UTC(2026, 10, 22, 6, 55, 8, 743),
    reason: 'kept',
  })
  expect(readAttemptText('1.0.0 -> 1.1.0, 2026-11-22T06:55:08Z: its level is bad: 3: 4')?.reason).toBe(
    'its level is bad: 3: 4',
  )
})

test.each(['installed', '', '0.1.0 -> 0.2.0: rolled back.', 'a -> b, 2026-99-22T06:55:08Z: x', 'a -> b, soon: x'])(
  'a message of another form stays as it is: %j',
  (message) => expect(readAttemptText(message)).toBeUndefined(),
)
