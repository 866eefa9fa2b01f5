import { expect, test } from 'vitest'
import { safeNameOr } from './named.ts'

test.each([
  'Your account is suspended, see http://evil.example/login',
  'see WWW.evil.example',
  'see ｈttp：／／evil.example',
  'Ann\r\nBcc: x@example.org',
  'Ann\u2028Bob',
])('the name %j is not put into a message to somebody else', (name) => {
  expect(safeNameOr(name, 'Somebody')).toBe('Somebody')
})

test.each(['Ann', 'North & Co. (Ltd.)', 'Anna/Bob: 24'])('the name %s is', (name) => {
  expect(safeNameOr(name, 'Somebody')).toBe(name)
})
