import { expect, test } from 'vitest'
import { bounds } from './bounds.ts'
import { operations } from './operations/all.ts'

test('each operation that changes something says which rows it adds, and what bounds them', () => {
  const changes = operations.filter(({ change }) => change !== undefined).map(({ route }) => route)
  expect(Object.keys(bounds).sort()).toEqual([...changes].sort())
})
