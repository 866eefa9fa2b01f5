import type { OfferedSetting } from '@svc/api'
import type { Setting } from '@svc/protocol'
import { expect, test } from 'vitest'
import { choosableSettings, chosenValuesOf, firstChoice, presentValueWords } from './SetValues.tsx'

const every: Setting = { key: 'every', label: 'Minutes', type: 'number', min: 1, max: 120 }
const on: Setting = { key: 'on', type: 'bool' }
const until: Setting = { key: 'until', type: 'datetime' }
const tone: Setting = { key: 'tone', type: 'select', options: [{ value: 'kind', label: 'Kind' }, { value: 'rude' }] }
const offered = (setting: Setting, values: OfferedSetting['values'] = [], agents = 10): OfferedSetting => ({
  setting,
  agents,
  values,
})
const has = (value: OfferedSetting['values'][number]['value'], agents = 10) => ({ value, agents })

test.each([
  [offered(every, [has(10, 7), has(5, 3)]), { every: 10 }, {}],
  [offered(every), {}, { every: 'must be a number' }],
  [offered(every, [has(500)]), {}, { every: 'must be between 1 and 120' }],
  [offered(on), { on: false }, {}],
  [offered(on, [has(true)]), { on: true }, {}],
  [offered(tone, [has('rude')]), { tone: 'rude' }, {}],
  [offered(tone), {}, { tone: 'needs a value' }],
  [offered(until, [has(null)]), {}, { until: 'needs a value' }],
])('a chosen setting begins with the value that most agents have: %j', (setting, values, wrong) => {
  const read = chosenValuesOf([firstChoice(setting)])
  expect([{ ...read.values }, { ...read.wrong }]).toEqual([values, wrong])
})

test('a value is cleared only when somebody says so', () => {
  const { values, wrong } = chosenValuesOf([{ ...firstChoice(offered(until)), isCleared: true }])
  expect([{ ...values }, { ...wrong }]).toEqual([{ until: null }, {}])
})

test.each([
  [offered(every), 'No agent reports a value.'],
  [offered(every, [has(10)]), 'Now 10 for all of them.'],
  [offered(tone, [has('kind', 6), has('rude', 4)]), 'Now Kind for 6, rude for 4.'],
  [offered(every, [has(null, 4), has(5, 3), has(6, 1)]), 'Now not set for 4, 5 for 3, 6 for 1, something else for 2.'],
])('the present values are told: %j', (setting, words) => expect(presentValueWords(setting)).toBe(words))

test('a key that is chosen in one form is not offered in another', () => {
  const asText = offered({ key: 'every', type: 'text' })
  expect(choosableSettings([offered(every), asText, offered(on)], [firstChoice(asText)])).toEqual([offered(on)])
})
