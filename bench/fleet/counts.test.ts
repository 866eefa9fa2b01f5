import { expect, test } from 'vitest'
import { addTo, countError, newCounts, quantile, sum } from './counts.ts'

test('quantiles are accurate to 2 %, over all generators together', () => {
  const [odd, even] = [newCounts(), newCounts()]
  for (let ms = 1; ms <= 1000; ms++) addTo(ms % 2 === 0 ? even : odd, ms)
  const all = sum([odd, even])
  for (const [share, ms] of [
    [0.5, 500],
    [0.95, 950],
    [0.99, 990],
  ] as const) {
    expect(quantile(all, share)).toBeGreaterThanOrEqual(ms)
    expect(quantile(all, share)).toBeLessThan(ms * 1.02)
  }
  expect([all.answered, all.slowest]).toEqual([1000, 1000])
})

test('errors of all generators are added by name, and an empty count has no quantile', () => {
  const [one, other] = [newCounts(), newCounts()]
  countError(one, 'refused')
  countError(other, 'refused')
  countError(other, 'cut')
  expect(sum([one, other]).errors).toEqual({ refused: 2, cut: 1 })
  expect(quantile(sum([one, other]), 0.99)).toBeNaN()
})
