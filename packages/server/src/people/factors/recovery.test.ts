import { expect, test } from 'vitest'
import { hashRecovery, newRecoveryCodes } from './recovery.ts'

test('ten codes of 80 bits are made, without letters that look like others', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
})

test.each(['7K2M-9XQ4-B0C1-Z8ND', ' 7k2m 9xq4 b0c1 z8nd', '7k2m9xq4bocIz8nd', '7k2m-9xq4-boci-z8nd'])(
  'a code may be typed as %s',
  (typed) => {
    expect(hashRecovery(typed)).toBe(hashRecovery('7k2m-9xq4-b0c1-z8nd'))
  },
)
