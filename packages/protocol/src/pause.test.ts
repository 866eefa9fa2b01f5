import { expect, test } from 'vitest'
import { readPause } from './pause.ts'

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
])('the detail of a pause is read: %s', (detail, parts) => expect(readPause(detail)).toEqual({ at, ...parts }))

test.each([
  '',
  'Since noon.',
  'Since 2026-99-22 06:45:57 UTC.',
  'Paused: Since 2026-11-22 06:45:57 UTC.',
  'Since an unknown time.',
])('another text is no detail of a pause: %s', (detail) => expect(readPause(detail)).toBeUndefined())
