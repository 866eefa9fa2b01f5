import { expect, test } from 'vitest'
import {
  costOf,
  costOfDay,
  knownCost,
  modelCosts,
  modelIn,
  nothingSpent,
  readPrices,
  sumOf,
  sumOfTold,
  type ToldCost,
  tokensOf,
  totalCost,
  withMoreTold,
  withTokens,
  withTold,
} from './spent.ts'

const tokens = { input: 1_000_000, cached: 2_000_000, output: 100_000 }
const twice = { input: 2_000_000, cached: 4_000_000, output: 200_000 }
const { prices } = readPrices('m=3/15/0.3')
const told = (usd: number, models: ToldCost['tokens'] = { m: tokens }): ToldCost => ({
  usd,
  models: { m: usd },
  tokens: models,
})

test('what is told, what is estimated and what is unknown are three things', () => {
  const unknown = withTokens(nothingSpent, 'm', tokens, 1)
  expect(costOf(unknown, {})).toEqual({ isLeast: true })
  expect(knownCost(costOf(unknown, {}))).toBeUndefined()
  expect(costOf(unknown, prices)).toEqual({ estimated: 3 + 0.6 + 1.5, isLeast: false })
  const known = withTold(unknown, told(4.2), 1)
  expect(costOf(known, prices)).toEqual({ told: 4.2, isLeast: false })
  const more = withTokens(known, 'other', tokens, 1)
  expect(costOf(more, prices)).toEqual({ told: 4.2, isLeast: true })
  expect(modelCosts(withTokens(known, 'm', tokens, 1), prices)).toEqual({ m: 4.2 + 5.1 })
  expect(costOf(nothingSpent, prices)).toEqual({ isLeast: false })
  expect(costOf({ ...unknown, hasGaps: true }, prices).isLeast).toBe(true)
  expect(costOf({ ...known, hasGaps: true }, prices)).toEqual({ told: 4.2, isLeast: false })
})

test('a day counts what was used on it, and of a told cost what was not told before', () => {
  const first = withTold(withTokens(nothingSpent, 'm', tokens, 1), told(4), 1)
  const next = withTokens(first, 'm', tokens, 2)
  expect(tokensOf(next.today.all)).toEqual(tokens)
  expect(next.today.told).toBeUndefined()
  expect(costOfDay(next, prices)).toEqual({ estimated: 5.1, isLeast: false })
  const again = withTold(next, told(10, { m: twice }), 2)
  expect(again.today).toMatchObject({ day: 2, told: 6 })
  expect(costOfDay(again, {})).toEqual({ told: 6, isLeast: false })
  expect(withTold(again, told(1), 2).today.told, 'a cost that begins anew').toBe(7)
  expect(tokensOf(withTokens(again, 'm', tokens, 1).today.all), 'a line of the day before').toEqual(tokens)
})

test('what a killed process used is in no told cost', () => {
  const used = withTokens(withTokens(nothingSpent, 'm', tokens, 1), 'm', tokens, 1)
  expect(costOf(withTold(used, told(4), 1), {})).toEqual({ told: 4, isLeast: true })
  expect(costOf(withTold(used, told(4), 1), prices)).toEqual({ told: 4, estimated: 5.1, isLeast: false })
  expect(costOf(withTold(used, told(8, { m: twice, small: tokens }), 1), {})).toEqual({ told: 8, isLeast: false })
})

test('a told cost contains what subagents used, if it contains their tokens', () => {
  const main = withTold(withTokens(nothingSpent, 'm', tokens, 1), told(4, { m: tokens, small: tokens }), 1)
  const spent = withTokens(nothingSpent, 'small', tokens, 1)
  expect(costOf(sumOf(main, [spent]), prices)).toEqual({ told: 4, isLeast: false })
  expect(costOf(sumOf(main, [spent, spent]), prices)).toEqual({ told: 4, isLeast: true })
  expect(tokensOf(sumOf(main, [spent]).all).output).toBe(200_000)
  const later = withTokens(nothingSpent, 'small', tokens, 2)
  expect(sumOf(main, [later]).today).toMatchObject({ day: 2, all: { small: tokens } })
})

test('a told cost that is the sum of answers is the least if answers may be missing', () => {
  const used = withTokens(nothingSpent, 'm', tokens, 1)
  const one = withMoreTold(used, told(4), 1)
  expect(costOf(one, {})).toEqual({ told: 4, isLeast: false })
  const partly = { ...one, hasGaps: true }
  for (const spent of [
    partly,
    sumOfTold([partly]),
    sumOfTold([partly, one]),
    sumOfTold([one, { ...used, hasGaps: true }]),
  ])
    expect([costOf(spent, prices), costOfDay(spent, prices)]).toMatchObject([{ isLeast: true }, { isLeast: true }])
  const whole = withTold(used, told(4), 1)
  expect(costOfDay({ ...whole, hasGaps: true }, prices)).toEqual({ told: 4, isLeast: false })
})

test('a sum says that it is the least if a part of it is unknown', () => {
  expect(totalCost([{ told: 1, isLeast: false }, { estimated: 2, isLeast: false }, { isLeast: true }])).toEqual({
    told: 1,
    estimated: 2,
    isLeast: true,
  })
  expect(totalCost([])).toEqual({ isLeast: false })
})

test.each([
  ['', {}, 0],
  ['m=3/15/0.3', { m: { input: 3, output: 15, cached: 0.3 } }, 0],
  ['  m=3/15  n=0/0/0 ', { m: { input: 3, output: 15, cached: 3 }, n: { input: 0, output: 0, cached: 0 } }, 0],
  ['m=3 n=a/b/c =1/2/3 o=-1/2/3 p=1/2/3/4', {}, 5],
  ['__proto__=1/2/3', {}, 1],
])('the prices %j', (text, expected, wrong) => {
  expect(readPrices(text)).toEqual({ prices: expected, wrong })
})

test('a price counts for a model with a date behind its name, and for no other model', () => {
  const at = (model: string) => costOf(withTokens(nothingSpent, model, tokens, 1), prices).estimated
  expect([at('m'), at('m-20260101'), at('m-2026-01-01')]).toEqual([5.1, 5.1, 5.1])
  expect([at('m-mini'), at('mm'), at('toString')]).toEqual([undefined, undefined, undefined])
})

test.each([
  ['claude-opus-4-5[1m]', true],
  ['us.anthropic.claude:0', true],
  ['<synthetic>', false],
  ['__proto__', false],
  ['a prompt with words', false],
  ['', false],
  [7, false],
])('the name of a model: %j', (value, isModel) => expect(modelIn(value)).toBe(isModel ? value : undefined))
