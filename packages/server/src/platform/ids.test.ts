import { expect, test } from 'vitest'
import { newId } from './ids.ts'

test('ids are UUIDv7 of their time', () => {
  const id = newId(Date.UTC(2026, 10, 21))
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 10, 21))
})

test('any number of ids of one millisecond sort in the order in which they were made', () => {
  const ids = Array.from({ length: 10_000 }, () => newId(1_790_000_000_000))
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})
