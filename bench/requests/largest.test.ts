import { expect, test } from 'vitest'
import { inputs, takingMany } from './largest.ts'

test('every operation that takes a thousand names has a largest input, and only these', () => {
  expect(Object.keys(inputs).toSorted()).toEqual(takingMany.toSorted())
})
