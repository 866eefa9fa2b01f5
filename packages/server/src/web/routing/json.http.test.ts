import type { Fleet } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'

const w = '/api/web/w/north'
const gzip = { 'accept-encoding': 'gzip, deflate, br' }
const names = Array.from({ length: 60 }, (_, i) => `agent-${i}`)

async function fleet() {
  const service = await serve()
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const agents = []
  for (const name of names) agents.push(await service.agent(north, name))
  return { service, ann, agents }
}

test('a large answer is compressed for a client that accepts it, and is the same as without', async () => {
  const { ann } = await fleet()
  const small = await ann.get<Fleet>(`${w}/fleet?limit=200`, gzip)
  const plain = await ann.get<Fleet>(`${w}/fleet?limit=200`, { 'accept-encoding': 'identity' })
  expect(small.headers.get('content-encoding')).toBe('gzip')
  expect(Number(small.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 5)
  expect(plain.headers.get('content-encoding')).toBeNull()
  for (const { headers } of [small, plain])
    expect([headers.get('vary'), headers.get('cache-control')]).toEqual(['Accept-Encoding', 'no-store'])
  expect(small.body.rows).toEqual(plain.body.rows)
  expect(small.body.rows).toHaveLength(60)
})

test('an answer of at most 1 KB is sent as it is', async () => {
  const { ann } = await fleet()
  const { headers, text } = await ann.get(`${w}/fleet?limit=1`, gzip)
  expect(text.length).toBeLessThan(1024)
  expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, null])
})

test('the answer to a change, which may hold a secret, is never compressed', async () => {
  const { ann } = await fleet()
  const sent = await ann.send('POST', `${w}/commands`, { agents: names, type: 'pause' }, gzip)
  expect(sent.status).toBeLessThan(300)
  expect(sent.text.length).toBeGreaterThan(1024)
  expect(sent.headers.get('content-encoding')).toBeNull()
})

test('the members, whose invitations hold links that give access, are never compressed', async () => {
  const { ann } = await fleet()
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8])
    await ann.send('POST', `${w}/invitations`, { email: `guest-${n}@example.org`, role: 'member' })
  const { headers, text } = await ann.get(`${w}/members`, gzip)
  expect(text.length).toBeGreaterThan(1024)
  expect(headers.get('content-encoding')).toBeNull()
})

test('the stream of frames and the answers to agents are never compressed', async () => {
  const { service, ann, agents } = await fleet()
  const abort = new AbortController()
  const headers = { ...gzip, cookie: ann.cookie }
  const stream = await fetch(`${service.origin}${w}/events`, { headers, signal: abort.signal })
  expect([stream.status, stream.headers.get('content-encoding')]).toEqual([200, null])
  abort.abort()
  const report = await fetch(`${service.origin}/api/agent/v1/report`, {
    method: 'POST',
    headers: { ...gzip, authorization: `Bearer ${agents[0]?.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ protocol: 1 }),
  })
  expect([report.status, report.headers.get('content-encoding')]).toEqual([200, null])
})
