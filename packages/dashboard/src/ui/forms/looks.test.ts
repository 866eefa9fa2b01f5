/**
 * Tests what the fields of the page read from texts that look like another one. A field reads what people type with
 * `trimInvisible`, `numberIn`, `listIn` or `codeIn`, or leaves it to the service; nothing is read with `trim`, which
 * leaves invisible characters.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RuleSettings } from '@svc/api'
import { describe, expect, test } from 'vitest'
import { looksAtEnds, looksInside, wideText } from '../../../../../testing/looks.ts'
import { wrongWithName } from '../../agents/dialogs/names.ts'
import { readTypedTags, wrongWithTags } from '../../agents/dialogs/tags.ts'
import { readRaw } from '../../agents/parts/raw.ts'
import { writeHours, hoursFormErrors as wrongWithHours } from '../../alerts/parts/hours.ts'
import { ruleChangeOf, ruleValuesOf, ruleFormErrors as wrongWithRule } from '../../alerts/rules/rule-form.ts'
import { bestNameMatches } from '../../shell/finding/Palette.tsx'
import { readWaves } from '../../updates/parts/looks.ts'
import { wrongWithEmail, wrongWithOldEmail, wrongWithSlug, wrongWithText } from './rules.ts'

const rule: RuleSettings = {
  ...{ rule: 'cost_day', on: true, after: 0, level: 'bad', limit: null, statuses: null, channels: null },
  ...{ filter: null, reminds: true, escalation: null },
}
const ofRule = (values: Partial<ReturnType<typeof ruleValuesOf>>) =>
  ruleChangeOf(rule, { ...ruleValuesOf(rule), ...values })
const number = { key: 'every', type: 'number' } as const
const hours = { days: ['Mon'], from: '08:00', to: '19:00' }

/** For each field a text that is accepted, and a function that says what is read from another one. */
const fields: readonly (readonly [field: string, plain: string, read: (typed: string) => unknown])[] = [
  ['an address of a new account', 'ann@example.org', wrongWithEmail],
  ['an address of an old account', 'ann@example.org', wrongWithOldEmail],
  ['a name', 'Ann', wrongWithText],
  ['a short name', 'north-1', wrongWithSlug],
  ['the name of an agent', 'mail-triage', wrongWithName],
  ['tags', 'eu', (typed) => [wrongWithTags(typed), readTypedTags(typed)]],
  ['a time zone', 'Europe/Berlin', (zone) => [wrongWithHours.zone(zone), writeHours({ ...hours, zone })]],
  ['a number of a setting', '1.5', (typed) => readRaw(number, typed)],
  ['a name to find', 'web-1', (typed) => bestNameMatches(typed, [{ name: 'web-11' }, { name: 'web-1' }], 2)],
  ...numbers(),
]
function numbers(): typeof fields {
  return [
    ['waves', '15', readWaves],
    ['a limit of costs', '15', (limit) => [wrongWithRule.limit(limit), ofRule({ limit })]],
    [
      'a time of a rule',
      '15',
      (typed) => [
        wrongWithRule.after({ number: typed, unit: 'min' }),
        ofRule({ after: { number: typed, unit: 'min' } }),
      ],
    ],
  ]
}

describe.each(fields)('the field for %s', (_field, plain, read) => {
  test('reads a text with something at its ends that nobody sees like the text alone', () => {
    for (const { says, write } of looksAtEnds) expect([says, read(write(plain))]).toEqual([says, read(plain)])
  })
})

test.each(numbers())(
  'the field for %s reads wide digits, and refuses what is hidden between them',
  (_f, plain, read) => {
    expect(read(wideText(plain))).toEqual(read(plain))
    for (const { says, write } of looksInside) expect([says, read(write(plain))]).not.toEqual([says, read(plain)])
  },
)

/** Texts that nobody typed: those of agents, of the service, and of a filter whose parts were removed. */
const others = [
  'ui/values/CopyLines.tsx',
  'agents/parts/setting-words.ts',
  'agents/settings/form.ts',
  'fleet/filter/Suggestions.tsx',
]

test('no field is read with trim', () => {
  const source = join(import.meta.dirname, '../..')
  const trimming = globSync('**/*.{ts,tsx}', { cwd: source })
    .filter((file) => !file.includes('.test.'))
    .filter((file) => readFileSync(join(source, file), 'utf8').includes('.trim()'))
  expect(trimming.sort()).toEqual(others.toSorted())
})
