import { expect, test } from 'vitest'
import { RateWindow } from './window.ts'

test('sixty calls fit into sixty seconds, and the refusal of the next says how long to wait (D16)', () => {
  const window = new RateWindow(60)
  for (let i = 0; i < 60; i++) expect(window.take('a', i * 100)).toBe(0)
  expect(window.take('a', 6_000)).toBe(54)
  expect(window.take('a', 59_999)).toBe(1)
  expect(window.take('b', 6_000)).toBe(0)
})

test('the window slides: a call makes room again sixty seconds after it was counted', () => {
  const window = new RateWindow(2)
  window.take('a', 0)
  window.take('a', 30_000)
  expect(window.take('a', 59_999)).toBe(1)
  expect(window.take('a', 60_000)).toBe(0)
  expect(window.take('a', 60_001)).toBe(30)
})

test('a refused call does not count, so a caller that slows down is served again', () => {
  const window = new RateWindow(1)
  window.take('a', 0)
  for (let at = 1000; at < 60_000; at += 1000) expect(window.take('a', at)).toBeGreaterThan(0)
  expect(window.take('a', 60_000)).toBe(0)
})

test('memory follows the active keys: a key is forgotten after a minute without calls', () => {
  const window = new RateWindow(60)
  for (let i = 0; i < 1000; i++) window.take(`a${i}`, 0)
  window.take('b', 60_001)
  expect(window.size).toBe(1)
})

test('a clock that is set back locks nobody out', () => {
  const window = new RateWindow(1)
  window.take('a', 1_000_000)
  expect(window.take('a', 10)).toBe(0)
})
