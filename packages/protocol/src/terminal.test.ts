import { expect, test } from 'vitest'
import { safeJson, safeLine, safeText } from './terminal.ts'

const steering = ['\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069', '\u009b']

test.each(steering)('%j reaches a terminal neither as text nor in JSON, and the JSON keeps its value', (c) => {
  expect(safeText(`a${c}b`)).toBe('ab')
  expect(safeLine(`a${c}b\nc`)).toBe('ab c')
  const json = safeJson({ text: `a${c}b` })
  expect(json).not.toContain(c)
  expect(JSON.parse(json)).toEqual({ text: `a${c}b` })
})
