import { expect, test } from 'vitest'
import { createLogLimit, requestPath } from './requests.ts'

test('requests that are refused under overload get one log line a second, which counts those that got none', () => {
  const logged = createLogLimit(1000)
  expect([0, 1, 999, 1000, 1001, 2500].map(logged)).toEqual([0, undefined, undefined, 2, undefined, 1])
})

test('a logged address holds no query and no id of an invitation', () => {
  expect(requestPath('/api/web/v1/invitations/abc/accept?token=x')).toBe('/api/web/v1/invitations/***/accept')
  expect(requestPath('/join/abc')).toBe('/join/***')
})
