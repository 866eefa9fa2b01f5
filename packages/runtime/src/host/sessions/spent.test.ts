import { expect, test } from 'vitest'
import {
  addTokensOfAnswer,
  costOf,
  costOfDay,
  knownCost,
  modelCosts,
  modelIn,
  nothingSpent,
  type ReportedCost,
  readPrices,
  sumOf,
  sumOfSessions,
  tokensOf,
  totalCost,
  withAddedCost,
  withReportedCost,
} from './spent.ts'

const tokens = { input: 1_000_000, cached: 2_000_000, output: 100_000 }
const twice = { input: 2_000_000, cached: 4_000_000, output: 200_000 }
const { prices } = readPrices('m=3/15/0.3')
const reported = (usd: number, models: ReportedCost['tokens'] = { m: tokens }): ReportedCost => ({
  usd,
  models: { m: usd },
  tokens: models,
})

test('what is told, what is estimated and what is unknown are three things', () => {
  const unknown = addTokensOfAnswer(nothingSpent, 'm', tokens, 1)
  expect(costOf(unknown, {})).toEqual({ isMinimum: true })
  expect(knownCost(costOf(unknown, {}))).toBeUndefined()
  expect(costOf(unknown, prices)).toEqual({ estimated: 3 + 0.6 + 1.5, isMinimum: false })
  const known = withReportedCost(unknown, reported(4.2), 1)
  expect(costOf(known, prices)).toEqual({ reported: 4.2, isMinimum: false })
  const more = addTokensOfAnswer(known, 'other', tokens, 1)
  expect(costOf(more, prices)).toEqual({ reported: 4.2, isMinimum: true })
  expect(modelCosts(addTokensOfAnswer(known, 'm', tokens, 1), prices)).toEqual({ m: 4.2 + 5.1 })
  expect(costOf(nothingSpent, prices)).toEqual({ isMinimum: false })
  expect(costOf({ ...unknown, hasGaps: true }, prices).isMinimum).toBe(true)
  expect(costOf({ ...known, hasGaps: true }, prices)).toEqual({ reported: 4.2, isMinimum: false })
})

test('a day counts what was used on it, and of a told cost what was not told before', () => {
  const first = withReportedCost(addTokensOfAnswer(nothingSpent, 'm', tokens, 1), reported(4), 1)
  const next = addTokensOfAnswer(first, 'm', tokens, 2)
  expect(tokensOf(next.today.all)).toEqual(tokens)
  expect(next.today.reported).toBeUndefined()
  expect(costOfDay(next, prices)).toEqual({ estimated: 5.1, isMinimum: false })
  const again = withReportedCost(next, reported(10, { m: twice }), 2)
  expect(again.today).toMatchObject({ day: 2, reported: 6 })
  expect(costOfDay(again, {})).toEqual({ reported: 6, isMinimum: false })
  expect(withReportedCost(again, reported(1), 2).today.reported, 'a cost that begins anew').toBe(7)
  expect(tokensOf(addTokensOfAnswer(again, 'm', tokens, 1).today.all), 'a line of the day before').toEqual(tokens)
})

test('what a killed process used is in no told cost', () => {
  const used = addTokensOfAnswer(addTokensOfAnswer(nothingSpent, 'm', tokens, 1), 'm', tokens, 1)
  expect(costOf(withReportedCost(used, reported(4), 1), {})).toEqual({ reported: 4, isMinimum: true })
  expect(costOf(withReportedCost(used, reported(4), 1), prices)).toEqual({
    reported: 4,
    estimated: 5.1,
    isMinimum: false,
  })
  expect(costOf(withReportedCost(used, reported(8, { m: twice, small: tokens }), 1), {})).toEqual({
    reported: 8,
    isMinimum: false,
  })
})

test('a told cost contains what subagents used, if it contains their tokens', () => {
  const main = withReportedCost(
    addTokensOfAnswer(nothingSpent, 'm', tokens, 1),
    reported(4, { m: tokens, small: tokens }),
    1,
  )
  const spent = addTokensOfAnswer(nothingSpent, 'small', tokens, 1)
  expect(costOf(sumOf(main, [spent]), prices)).toEqual({ reported: 4, isMinimum: false })
  expect(costOf(sumOf(main, [spent, spent]), prices)).toEqual({ reported: 4, isMinimum: true })
  expect(tokensOf(sumOf(main, [spent]).all).output).toBe(200_000)
  const later = addTokensOfAnswer(nothingSpent, 'small', tokens, 2)
  expect(sumOf(main, [later]).today).toMatchObject({ day: 2, all: { small: tokens } })
})

test('a told cost that is the sum of answers is the least if answers may be missing', () => {
  const used = addTokensOfAnswer(nothingSpent, 'm', tokens, 1)
  const one = withAddedCost(used, reported(4), 1)
  expect(costOf(one, {})).toEqual({ reported: 4, isMinimum: false })
  const partly = { ...one, hasGaps: true }
  for (const spent of [
    partly,
    sumOfSessions([partly]),
    sumOfSessions([partly, one]),
    sumOfSessions([one, { ...used, hasGaps: true }]),
  ])
    expect([costOf(spent, prices), costOfDay(spent, prices)]).toMatchObject([{ isMinimum: true }, { isMinimum: true }])
  const whole = withReportedCost(used, reported(4), 1)
  expect(costOfDay({ ...whole, hasGaps: true }, prices)).toEqual({ reported: 4, isMinimum: false })
})

test('a sum says that it is the least if a part of it is unknown', () => {
  expect(
    totalCost([{ reported: 1, isMinimum: false }, { estimated: 2, isMinimum: false }, { isMinimum: true }]),
  ).toEqual({
    reported: 1,
    estimated: 2,
    isMinimum: true,
  })
  expect(totalCost([])).toEqual({ isMinimum: false })
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
  const at = (model: string) => costOf(addTokensOfAnswer(nothingSpent, model, tokens, 1), prices).estimated
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
