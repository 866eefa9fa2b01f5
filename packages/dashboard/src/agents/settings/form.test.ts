import { checkValues, type Setting, type Settings } from '@svc/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromLocalTime, toLocalTime } from '../../ui/forms/local-time.ts'
import type { Drafts } from '../parts/drafts.ts'
import { type RawValue, rawValueOf, readRaw } from '../parts/raw.ts'
import { boundsText, valueText } from '../parts/setting-words.ts'
import { draftsOf, formChangesOf, isDraftOutdated, settingGroupsOf, withDraft, withoutDraft } from './form.ts'

const every: Setting = { key: 'every', label: 'Minutes', type: 'number', min: 1, max: 120, group: 'Schedule' }
const quota: Setting = { key: 'quota', type: 'percent' }
const on: Setting = { key: 'on', type: 'bool', group: 'Schedule' }
const until: Setting = { key: 'until', type: 'datetime' }
const note: Setting = { key: 'note', type: 'text' }
const tone: Setting = {
  key: 'tone',
  type: 'select',
  options: [
    { value: 'kind', label: 'Kind' },
    { value: 7, label: 'Seven' },
    { value: '7', label: 'The text 7' },
  ],
}
const schema = [every, quota, on, until, note, tone]
const settings: Settings = {
  schema,
  values: { every: 10, quota: 50, on: true, until: null, note: 'hello', tone: 7 },
}
const typed = (setting: Setting, raw: RawValue, before: Drafts = {}, from = settings) =>
  withDraft(before, from, setting, raw)

test('settings are shown in groups, both in the order of the schema', () =>
  expect(settingGroupsOf(schema).map(({ name, settings: own }) => [name, own.map(({ key }) => key)])).toEqual([
    ['Schedule', ['every', 'on']],
    [null, ['quota', 'until', 'note', 'tone']],
  ]))

test('if two settings have the same key, the first is used', () =>
  expect(settingGroupsOf([every, { ...every, label: 'Other' }])[0]?.settings).toEqual([every]))

test('only changed settings are sent', () => {
  const drafts = typed(on, false, typed(every, '20'))
  expect({ ...formChangesOf(settings, drafts).changes }).toEqual({ every: 20, on: false })
})

test('a value typed back to the reported one is not a change', () => {
  expect(typed(every, '10', typed(every, '20'))).toEqual({})
  expect(typed(every, '10.0')).toEqual({})
  expect(typed(on, true, typed(on, false))).toEqual({})
  expect(typed(tone, '1', typed(tone, '0'))).toEqual({})
})

test('clearing requests "not set", and clearing a setting that is not set requests nothing', () => {
  expect({ ...formChangesOf(settings, typed(every, null)).changes }).toEqual({ every: null })
  expect(typed(until, null)).toEqual({})
  expect({ ...formChangesOf(settings, typed(note, '')).changes }).toEqual({ note: '' })
})

test('a value that the schema does not allow can be cleared', () => {
  const odd: Settings = { schema, values: { tone: 'gone' } }
  expect(rawValueOf(tone, 'gone')).toBeNull()
  expect({ ...formChangesOf(odd, withDraft({}, odd, tone, null)).changes }).toEqual({ tone: null })
})

test.each([
  [every, '0', 'must be between 1 and 120'],
  [every, '121', 'must be between 1 and 120'],
  [every, '', 'must be a number'],
  [every, '1e', 'must be a number'],
  [every, '0x10', 'must be a number'],
  [every, 'Infinity', 'must be a number'],
  [quota, '101', 'must be between 0 and 100'],
  [until, 'tomorrow', 'must be a date and a time'],
  [tone, '9', 'must be one of its options'],
  [note, 'a'.repeat(2001), 'must be at most 2000 characters'],
] as const)('what does not fit is told and not sent: %o %j', (setting, raw, wrong) => {
  const wished = formChangesOf(settings, typed(setting, raw))
  expect({ ...wished.wrong }).toEqual({ [setting.key]: wrong })
  expect({ ...wished.changes }).toEqual({})
})

test.each([
  ['20', 20],
  [' 2.5 ', 2.5],
  ['2,5', 2.5],
  ['+3', 3],
  ['1e2', 100],
])('the number %j is read as %s', (raw, value) => expect(readRaw(every, raw)).toEqual({ ok: true, value }))

test('options keep their types: the number 7 and the text 7 differ', () => {
  expect(readRaw(tone, '1')).toEqual({ ok: true, value: 7 })
  expect(readRaw(tone, '2')).toEqual({ ok: true, value: '7' })
  expect(rawValueOf(tone, '7')).toBe('2')
})

test('a report that arrives while somebody types leaves the typed text, and the form says that the value changed', () => {
  const drafts = typed(every, '20')
  const later: Settings = { schema, values: { ...settings.values, every: 15 } }
  const more = withDraft(drafts, later, every, '25')
  expect(more.every).toEqual({ raw: '25', base: 10 })
  expect(isDraftOutdated(more.every ?? { raw: null, base: 10 }, 15)).toBe(true)
  expect({ ...formChangesOf(later, more).changes }).toEqual({ every: 25 })
})

test('if the machine changes to the typed value, there is nothing left to send', () => {
  const later: Settings = { schema, values: { ...settings.values, every: 20 } }
  expect({ ...formChangesOf(later, typed(every, '20')).changes }).toEqual({})
})

test('a setting that is no longer in the schema is not sent', () => {
  const later: Settings = { schema: [quota], values: {} }
  expect({ ...formChangesOf(later, typed(every, '20')).changes }).toEqual({})
})

test('one change is undone without the others', () =>
  expect(Object.keys(withoutDraft(typed(on, false, typed(every, '20')), 'on'))).toEqual(['every']))

test('a refused command is put back into the form as it was sent', () =>
  expect({ ...formChangesOf(settings, draftsOf(settings, { every: 99, tone: 'kind', gone: 1 })).changes }).toEqual({
    every: 99,
    tone: 'kind',
  }))

test('keys that every object inherits are treated like any others', () => {
  const odd: Settings = {
    schema: [
      { key: 'constructor', type: 'text' },
      { key: 'toString', type: 'number' },
    ],
    values: {},
  }
  const [first, second] = odd.schema ?? []
  if (!first || !second) throw new Error('the schema has two settings')
  const drafts = withDraft(withDraft({}, odd, first, 'x'), odd, second, '4')
  expect({ ...formChangesOf(odd, drafts).changes }).toEqual({ constructor: 'x', toString: 4 })
})

test('a time is the same after it was put into its input and read back, in any zone', () => {
  fc.assert(
    fc.property(fc.integer({ min: 86_400, max: 4_000_000_000 }), (seconds) => {
      const text = toLocalTime(seconds)
      const back = fromLocalTime(text ?? '')
      // When clocks are put back, one hour of local time occurs twice, so the time read back may be off by up to an
      // hour.
      expect([seconds, seconds - 3600, seconds + 3600, seconds - 1800, seconds + 1800]).toContain(back)
    }),
  )
  expect(toLocalTime(Number.MAX_SAFE_INTEGER)).toBeNull()
})

test('the check of the contract accepts every value that a form can hold', () => {
  fc.assert(
    fc.property(fc.constantFrom(...schema), fc.oneof(fc.string(), fc.constant(null), fc.boolean()), (setting, raw) => {
      const read = readRaw(setting, raw)
      if (read.ok) expect(checkValues(schema, { [setting.key]: read.value }).ok).toBe(true)
    }),
  )
})

test('bounds and values are described in words', () => {
  expect(boundsText(every)).toBe('1 to 120')
  expect(boundsText(quota)).toBe('0 to 100%')
  expect(boundsText({ key: 'a', type: 'number', min: 3 })).toBe('3 or more')
  expect(boundsText({ key: 'a', type: 'number' })).toBeNull()
  expect(boundsText(until)).toBeNull()
  expect(valueText(tone, 7)).toBe('Seven')
  expect(valueText(quota, 12.5)).toBe('12.5%')
  expect(valueText(on, false)).toBe('off')
  expect(valueText(note, null)).toBe('not set')
  expect(valueText(note, undefined)).toBe('not reported')
})
