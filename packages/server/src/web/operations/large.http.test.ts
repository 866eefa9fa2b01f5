import { type Operation, operations } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'

const names = Array.from({ length: 10_000 }, (_, i) => `${i}`.padStart(63, 'a'))
const body = JSON.stringify({ agents: names })

/** The operations of a workspace that take a JSON body and need no other name in their path. */
const taking = Object.values<Operation>(operations as never).filter(
  ({ route, input, manual }) =>
    input && manual === undefined && /^(POST|PATCH|PUT|DELETE) \/w\/:slug\/[^:]*$/.test(route),
)

test('a body with 10,000 of the longest names is read by the operations that say so, and by no other', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  expect(body.length).toBeGreaterThan(600_000)
  expect(body.length).toBeLessThan(700_000)
  const read: string[] = []
  for (const { route } of taking) {
    const [method = '', path = ''] = route.split(' ')
    const { status } = await ann.send(method, `/api/web${path.replace(':slug', 'north')}`, body)
    expect(status).toBeGreaterThanOrEqual(400)
    if (status !== 413) read.push(route)
  }
  expect(read).toEqual(taking.filter(({ maxBytes = 0 }) => maxBytes >= body.length).map(({ route }) => route))
  expect(read).toEqual(expect.arrayContaining(['POST /w/:slug/actions', 'POST /w/:slug/actions/preview']))
  expect(service.errors).toEqual([])
})
