import { expect, test } from 'vitest'
import { withMode } from './open.ts'

test.each([
  ['postgres://a@b/c?sslmode=require', 'postgres://a@b/c?sslmode=verify-full'],
  ['postgres://a@b/c?x=1&sslmode=prefer&y=2', 'postgres://a@b/c?x=1&sslmode=verify-full&y=2'],
  ['postgres://a@b/c?sslmode=verify-ca', 'postgres://a@b/c?sslmode=verify-full'],
  ['postgres://a@b/c?sslmode=no-verify', 'postgres://a@b/c?sslmode=no-verify'],
  ['postgres://a@b/c?sslmode=require&uselibpqcompat=true', 'postgres://a@b/c?sslmode=require&uselibpqcompat=true'],
  ['postgres://a:sslmode=require@b/c', 'postgres://a:sslmode=require@b/c'],
])('the library gets %s as a mode about which it does not warn', (given, used) => {
  expect(withMode(given)).toBe(used)
})
