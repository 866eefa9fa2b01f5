import { expect, test } from 'vitest'
import { limitText, sizeText } from './size.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [1536, '1.5 KB'],
  [999_949, '999.9 KB'],
  [999_950, '1.0 MB'],
  [1_900_000, '1.9 MB'],
  [20 * 1024 * 1024, '21.0 MB'],
  [1e9, '1.0 GB'],
  [2.5e12, '2500.0 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

test.each([
  [20 * 1024 * 1024, '20 MB'],
  [64 * 1024, '64 KB'],
  [1023 * 1024 + 1, '1023 KB'],
])('a limit of %d bytes is %s', (bytes, text) => expect(limitText(bytes)).toBe(text))
