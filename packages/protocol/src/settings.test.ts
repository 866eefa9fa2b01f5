import { expect, test } from 'vitest'
import { checkValues, type Setting } from './settings.ts'

const schema: Setting[] = [
  { key: 'limit', label: 'Pause limit', type: 'number', min: 1, max: 60 },
  { key: 'least', type: 'number', min: 5 },
  { key: 'most', type: 'number', max: 5 },
  { key: 'free', type: 'number' },
  { key: 'share', type: 'percent' },
  { key: 'narrow', type: 'percent', min: 10, max: 20 },
  { key: 'on', type: 'bool' },
  { key: 'at', type: 'datetime' },
  { key: 'note', type: 'text' },
  { key: 'tone', type: 'select', options: [{ value: 'kind', label: 'Kind' }, { value: 3 }] },
  { key: 'bare', type: 'select' },
]

test.each([
  ['limit', 1],
  ['limit', 60],
  ['limit', 1.5],
  ['least', 1e9],
  ['most', -1e9],
  ['free', -0.5],
  ['share', 0],
  ['share', 100],
  ['narrow', 10],
  ['on', true],
  ['on', false],
  ['at', 0],
  ['at', 1_790_000_000],
  ['note', ''],
  ['note', 'two\nlines\tand a tab'],
  ['note', '👍'.repeat(2000)],
  ['tone', 'kind'],
  ['tone', 3],
  ['limit', null],
  ['on', null],
  ['note', null],
  ['tone', null],
  ['bare', null],
] as const)('2.7: %s accepts %j', (key, value) =>
  expect(checkValues(schema, { [key]: value })).toEqual({ ok: true, value: { [key]: value } }),
)

test.each([
  ['limit', 0, 'Pause limit must be between 1 and 60: got 0.'],
  ['limit', 90, 'Pause limit must be between 1 and 60: got 90.'],
  ['limit', '5', 'Pause limit must be a number: got "5".'],
  ['limit', true, 'Pause limit must be a number: got true.'],
  ['limit', Number.NaN, 'Pause limit must be a number: got null.'],
  ['least', 4, 'least must be 5 or more: got 4.'],
  ['most', 6, 'most must be 5 or less: got 6.'],
  ['share', 101, 'share must be between 0 and 100: got 101.'],
  ['share', -1, 'share must be between 0 and 100: got -1.'],
  ['narrow', 50, 'narrow must be between 10 and 20: got 50.'],
  ['on', 1, 'on must be true or false: got 1.'],
  ['on', 'true', 'on must be true or false: got "true".'],
  ['at', 1.5, 'at must be a time in whole Unix seconds: got 1.5.'],
  ['at', -1, `at must be between 0 and ${Number.MAX_SAFE_INTEGER}: got -1.`],
  ['at', '2026-01-01', 'at must be a time in whole Unix seconds: got "2026-01-01".'],
  ['note', 5, 'note must be a text: got 5.'],
  ['note', 'a\u001b[2J', 'note must not hold control characters: got "a\\u001b[2J".'],
  ['note', '\ud83d', 'note must not hold control characters: got "\\ud83d".'],
  ['tone', 'rude', 'tone must be one of "kind", 3: got "rude".'],
  ['tone', '3', 'tone must be one of "kind", 3: got "3".'],
  ['bare', 'x', 'bare must be one of its options (it has none): got "x".'],
  ['other', 1, 'There is no setting "other".'],
  ['__proto__x', 1, 'There is no setting "__proto__x".'],
] as const)('3.6: %s refuses %j and says why', (key, value, message) =>
  expect(checkValues(schema, { [key]: value })).toEqual({ ok: false, code: 'settings_invalid', message }),
)

test('I27: one wrong value refuses all of them', () =>
  expect(checkValues(schema, { on: true, limit: 90 })).toMatchObject({ ok: false }))

test.each([[null], [[]], ['x'], [undefined], [{}]])('3.6: %j changes nothing and is refused', (values) =>
  expect(checkValues(schema, values)).toMatchObject({ ok: false, code: 'settings_invalid' }),
)

test('D13: keys of the prototype are not settings', () => {
  for (const key of ['__proto__', 'constructor', 'toString'])
    expect(checkValues(schema, JSON.parse(`{"${key}":1}`))).toMatchObject({ ok: false })
})

test('D12: a refusal quotes at most a hundred characters of a value', () => {
  const verdict = checkValues(schema, { tone: '👍'.repeat(5000) })
  expect(!verdict.ok && verdict.message.length).toBeLessThan(300)
  expect(!verdict.ok && verdict.message.isWellFormed()).toBe(true)
})
