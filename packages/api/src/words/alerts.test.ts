import { expect, test } from 'vitest'
import { agentNamesText } from './alerts.ts'

test('of many names ten are shown', () => {
  const names = Array.from({ length: 12 }, (_, i) => `a${i}`)
  expect(agentNamesText(names)).toBe('a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more')
  expect(agentNamesText(['a', 'b'])).toBe('a, b')
})
