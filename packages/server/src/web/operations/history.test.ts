import { history, InputRefused } from '@svc/api'
import { expect, test } from 'vitest'

const at = (iso: string) => Date.parse(iso)

test.each([
  ['2026-11-22T14:03Z', at('2026-11-22T14:03:00Z')],
  ['2026-11-22T14:03:07.5Z', at('2026-11-22T14:03:07.500Z')],
  ['2026-11-22T14:03+01:00', at('2026-11-22T13:03:00Z')],
  ['2026-11-22T00:30-05:30', at('2026-11-22T06:00:00Z')],
  ['2026-11-22', at('2026-11-22T00:00:00Z')],
  ['2024-02-29', at('2024-02-29T00:00:00Z')],
  ['1763820180', 1_763_820_180_000],
  ['0', 0],
])('a time is read: %s', (text, ms) => expect(history.time(text, 'since')).toBe(ms))

test.each([
  '',
  'yesterday',
  '2026-11-22T14:03',
  '2026-11-22 14:03Z',
  '2026-02-30',
  '2026-02-30T10:00Z',
  '2026-13-01',
  '2026-11-22T25:00Z',
  '20260-11-22',
  '+012026-11-22',
  '0000-01-01',
  '1969-12-31',
  '22.11.2026',
  '-1',
  '1.5',
  '1e9',
  '17638201800000',
  ' 2026-11-22',
  '２０２６-11-22',
  undefined,
  7,
])('another text is no time: %s', (text) => expect(() => history.time(text, 'since')).toThrow(InputRefused))

const now = at('2026-11-27T12:00:00Z')
test('a time that is asked for ends now, and begins a day before its end', () => {
  const day = 86_400_000
  expect(history.periodOf({}, now)).toEqual({ since: now - day, until: now })
  expect(history.periodOf({ until: now + day }, now)).toEqual({ since: now - day, until: now })
  expect(history.periodOf({ until: now - day }, now)).toEqual({ since: now - 2 * day, until: now - day })
  expect(history.periodOf({ since: now, until: now }, now)).toEqual({ since: now, until: now })
  expect(() => history.periodOf({ since: now + 1 }, now)).toThrow('since must not be after until, or after now')
  expect(() => history.periodOf({ since: now, until: now - 1 }, now)).toThrow(InputRefused)
  expect(() => history.momentOf({ at: now + 1 }, now)).toThrow('at must not be in the future')
})
