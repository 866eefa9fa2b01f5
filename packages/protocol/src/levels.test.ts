import { expect, test } from 'vitest'
import { level, worstLevel } from './levels.ts'

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
  expect(worstLevel(['ok', 'info', 'ok'])).toBe('info')
  expect(worstLevel(['info', 'warn', 'ok'])).toBe('warn')
  expect(worstLevel(['bad', 'warn'])).toBe('bad')
  expect(worstLevel([])).toBe('ok')
})
