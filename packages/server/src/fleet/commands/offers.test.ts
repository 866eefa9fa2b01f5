import type { Setting, Settings } from '@svc/protocol'
import { expect, test } from 'vitest'
import { logsOffered, settingsOffered } from '../../updates/actions/preview.ts'

const every: Setting = { key: 'every', label: 'Minutes', type: 'number', min: 1, max: 120 }
const note: Setting = { key: 'note', type: 'text' }
const has = (schema: Setting[], values: Settings['values'] = {}): Settings => ({ schema, values })

test.each<[string, (Settings | undefined)[], [Setting, number][]]>([
  ['no agent declares anything', [undefined, {}], []],
  [
    'the most frequent comes first',
    [has([note, every]), has([every])],
    [
      [every, 2],
      [note, 1],
    ],
  ],
  [
    'equally frequent ones keep the order of the schema',
    [has([note, every])],
    [
      [note, 1],
      [every, 1],
    ],
  ],
  ['the bounds are the widest', [has([every]), has([{ ...every, min: 5, max: 500 }])], [[{ ...every, max: 500 }, 2]]],
  [
    'an agent without a bound takes it away',
    [has([every]), has([{ key: 'every', type: 'number', max: 9 }])],
    [[{ key: 'every', label: 'Minutes', type: 'number', max: 120 }, 2]],
  ],
  [
    'another type is another setting',
    [has([every]), has([{ key: 'every', type: 'text' }])],
    [
      [every, 1],
      [{ key: 'every', type: 'text' }, 1],
    ],
  ],
  ['of two settings with one key, the first counts', [has([every, { ...every, max: 500 }])], [[every, 1]]],
])('settings of several agents: %s', (_rule, all, sums) =>
  expect(settingsOffered(all).map(({ setting, agents }) => [setting, agents])).toEqual(sums),
)

test('other options make another setting, since they would not be accepted', () => {
  const tone = (...values: string[]): Settings =>
    has([{ key: 'tone', type: 'select', options: values.map((value) => ({ value })) }])
  expect(settingsOffered([tone('kind'), tone('kind', 'rude'), tone('kind')]).map(({ agents }) => agents)).toEqual([
    2, 1,
  ])
})

test('the values that most agents report are told, three at most, and inherited keys are none', () => {
  const values = [5, 10, 10, null, 5, 10, 7, 8].map((value) =>
    has([every, { key: 'constructor', type: 'text' }], { every: value }),
  )
  const [first, second] = settingsOffered(values)
  expect(first?.values).toEqual([
    { value: 10, agents: 3 },
    { value: 5, agents: 2 },
    { value: null, agents: 1 },
  ])
  expect(second).toMatchObject({ agents: 8, values: [] })
})

test('logs are counted once for each agent, the most frequent first, then by name', () =>
  expect(logsOffered([['work', 'mail', 'work'], ['work', 'job/a'], []])).toEqual([
    { name: 'work', agents: 2 },
    { name: 'job/a', agents: 1 },
    { name: 'mail', agents: 1 },
  ]))
