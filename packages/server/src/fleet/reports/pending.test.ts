import { expect, test } from 'vitest'
import { addUsage, addUsageDeltas, maxUsage, pendingUsage } from './pending.ts'

const sum = (day: number, model: string, costMicro: number, runs = 1) => ({
  day,
  model,
  runs,
  costMicro,
  outputTokens: 5,
})

test('sums of one day and model become one', () => {
  const first = addUsage(null, [sum(3, '', 10), sum(3, 'large', 4)])
  const { json, due } = addUsage(first.json, [sum(3, '', -2, 0), sum(4, '', 7)])
  expect(due).toEqual([])
  expect(pendingUsage(json)).toEqual([{ ...sum(3, '', 8), outputTokens: 10 }, sum(3, 'large', 4), sum(4, '', 7)])
})

test('more than eight sums move to rows of their own, all at once', () => {
  const eight = Array.from({ length: 8 }, (_, day) => sum(day, '', day))
  const { json, due } = addUsage(null, eight)
  expect(due).toEqual([])
  expect(addUsage(json, [sum(8, '', 8)])).toEqual({ json: null, due: [...eight, sum(8, '', 8)] })
})

test('a report that adds nothing leaves the column as it is', () =>
  expect(addUsage('[[1,"",1,2,3]]', [])).toEqual({ json: '[[1,"",1,2,3]]', due: [] }))

test('no sum exceeds the limit of a day', () =>
  expect(addUsageDeltas([sum(1, '', maxUsage)], [sum(1, '', maxUsage)])).toMatchObject([{ costMicro: maxUsage }]))
