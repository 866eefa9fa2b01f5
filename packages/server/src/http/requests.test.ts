import { expect, test } from 'vitest'
import { oneASecond, pathOf } from './requests.ts'

test('of requests that are turned away under overload one a second is told of, with how many were not', () => {
  const told = oneASecond()
  expect([0, 1, 999, 1000, 1001, 2500].map(told)).toEqual([0, undefined, undefined, 2, undefined, 1])
})

test('what is logged of an address holds no query and no id of an invitation', () => {
  expect(pathOf('/api/web/v1/invitations/abc/accept?token=x')).toBe('/api/web/v1/invitations/***/accept')
  expect(pathOf('/join/abc')).toBe('/join/***')
})
