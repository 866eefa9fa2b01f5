import { expect, test } from 'vitest'
import { checkedWaves, groupByWave } from './plan.ts'

const agents = (count: number) => Array.from({ length: count }, (_, i) => i)

test.each<[string, number, string[], number[]]>([
  ['the default waves of a thousand', 1000, ['1', '10%', '100%'], [1, 99, 900]],
  ['a share is rounded up', 15, ['10%', '100%'], [2, 13]],
  ['a wave that adds nobody is dropped', 5, ['1', '10%', '100%'], [1, 4]],
  ['one agent makes one wave', 1, ['1', '10%', '100%'], [1]],
  ['a number beyond the last agent reaches all', 3, ['2', '50', '100%'], [2, 1]],
  ['waves that shrink are dropped', 100, ['50', '10%', '100%'], [50, 50]],
  ['nobody makes no wave', 0, ['1', '100%'], []],
])('agents are split into waves: %s', (_says, count, waves, sizes) => {
  const made = groupByWave(agents(count), waves)
  expect(made.map((wave) => wave.agents.length)).toEqual(sizes)
  expect(made.flatMap((wave) => wave.agents)).toEqual(agents(count))
})

test('the last wave always reaches all', () => {
  expect(checkedWaves(['1', '50%'])).toEqual({ ok: true, value: ['1', '50%', '100%'] })
  expect(checkedWaves()).toEqual({ ok: true, value: ['1', '10%', '100%'] })
  expect(checkedWaves([])).toEqual({ ok: true, value: ['100%'] })
})

test.each([['0'], ['0%'], ['101%'], ['-1'], ['ten'], ['1.5%'], [' 1'], ['']])('%j is not a wave', (wave) => {
  expect(checkedWaves([wave])).toMatchObject({ ok: false, code: 'rollout_invalid' })
})
