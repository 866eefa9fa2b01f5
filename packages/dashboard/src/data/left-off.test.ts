import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { leftOffIn, noteLeftOff, withSharedParts } from './left-off.ts'

test('the number of rows that an answer leaves off is known after the cache has merged it with the answer before', () => {
  const client = new QueryClient({ defaultOptions: { queries: { structuralSharing: withSharedParts } } })
  const answers = [
    [[{ id: 1 }, { id: 2 }], 7],
    [[{ id: 1 }, { id: 3 }], 8],
    [[{ id: 1 }, { id: 3 }], 8],
    [[{ id: 1 }, { id: 3 }], 0],
  ] as const
  const seen = answers.map(([rows, leftOff]) => {
    client.setQueryData(['rows'], noteLeftOff(structuredClone(rows), leftOff))
    return [client.getQueryData<object>(['rows']), leftOffIn(client.getQueryData<object>(['rows']))]
  })
  expect(seen).toEqual(answers)
  expect(leftOffIn(undefined)).toBe(0)
})
