import { expect, test } from 'vitest'
import { level, worst } from './levels.ts'

test.each([
  ['ok', 'ok'],
  ['bad', 'bad'],
  ['OK', 'info'],
  ['critical', 'info'],
  [7, 'info'],
  [{}, 'info'],
  [null, undefined],
  [undefined, undefined],
])('3.1: %j reads as %j', (input, kept) => expect(level(input)).toBe(kept))

test('D27: ok and info weigh the same, then come warn and bad', () => {
  expect(worst(['ok', 'info', 'ok'])).toBe('info')
  expect(worst(['info', 'warn', 'ok'])).toBe('warn')
  expect(worst(['bad', 'warn'])).toBe('bad')
  expect(worst([])).toBe('ok')
})
