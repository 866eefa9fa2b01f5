import { operations } from '@svc/api'
import { expect, test } from 'vitest'
import { inputs, largestOf, takingMany } from './largest.ts'

test('every operation that takes a thousand names has a largest input, and only these', () => {
  expect(Object.keys(inputs).toSorted()).toEqual(takingMany.toSorted())
})

const now = Date.parse('2026-11-27T12:00:00Z')
const lists = largestOf({ now, agents: ['mail'], alerts: [], made: new Map() })
  .map(({ route, request }) => ({ route, ...request(0) }))
  .filter(({ method }) => method === 'GET')

test.each(lists)('$route accepts the query of its largest request', ({ route, path }) => {
  const query = Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? ''))
  operations.find((one) => one.route === route)?.input?.(query, '')
})
