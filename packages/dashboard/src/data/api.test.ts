/**
 * Tests the requests that `call` sends. This file also contains calls that must not compile, which the
 * type check verifies.
 */
import type { Members, NewToken } from '@svc/api'
import { serviceTimeHeader } from '@svc/api/clock'
import { afterEach, expect, expectTypeOf, test, vi } from 'vitest'
import { followAnswers, serviceNow } from '../ui/time/service-time.ts'
import { ApiError, addressFor, call } from './api.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function answering(status: number, value: unknown) {
  const asked = vi.fn(async (_path: string, _init: RequestInit) => new Response(JSON.stringify(value), { status }))
  vi.stubGlobal('fetch', asked)
  return () =>
    asked.mock.calls.map(([path, { method, body, headers }]) => [
      `${method} ${path}`,
      body ?? null,
      new Headers(headers).get('content-type'),
    ])
}
const json = 'application/json'

test('parameters go into the path, encoded', async () => {
  const asked = answering(200, {})
  await call('GET /w/:slug/agents/:name', { slug: 'north', name: 'a/b c' })
  await call('DELETE /w/:slug/bots/:id', { slug: 'north', id: '1?' })
  expect(asked()).toEqual([
    ['GET /api/web/w/north/agents/a%2Fb%20c', null, null],
    ['DELETE /api/web/w/north/bots/1%3F', null, null],
  ])
})

test('a GET sends its input as the query, without undefined, empty and false values', async () => {
  const asked = answering(200, {})
  await call('GET /w/:slug/fleet', { slug: 'n' }, { search: '', silent: false, sort: 'seen', desc: true, offset: 0 })
  await call('GET /w/:slug/rollouts', { slug: 'n' }, { before: undefined, limit: 50 })
  await call('GET /start', { token: 'x&y' })
  await call('GET /me')
  expect(asked().map(([request]) => request)).toEqual([
    'GET /api/web/w/n/fleet?sort=seen&desc=true&offset=0',
    'GET /api/web/w/n/rollouts?limit=50',
    'GET /api/web/start?token=x%26y',
    'GET /api/web/me',
  ])
})

test('a change sends its input as JSON; without input a POST sends an empty object and a DELETE nothing', async () => {
  const asked = answering(200, {})
  await call('PATCH /w/:slug/agents/:name', { slug: 'n', name: 'mail' }, { name: 'post' })
  await call('POST /w/:slug/agents/:name/commands', { slug: 'n', name: 'mail' }, { type: 'pause' })
  await call('POST /w/:slug/agents/:name/token', { slug: 'n', name: 'mail' })
  await call('DELETE /sessions')
  expect(asked()).toEqual([
    ['PATCH /api/web/w/n/agents/mail', '{"name":"post"}', json],
    ['POST /api/web/w/n/agents/mail/commands', '{"type":"pause"}', json],
    ['POST /api/web/w/n/agents/mail/token', '{}', json],
    ['DELETE /api/web/sessions', null, null],
  ])
})

test('a signal cancels a request, with and without input', async () => {
  const asked = vi.fn(async (_path: string, { signal }: RequestInit) => Promise.reject(signal?.reason))
  vi.stubGlobal('fetch', asked)
  const signal = AbortSignal.abort(new Error('left the page'))
  await expect(call('GET /me', signal)).rejects.toThrow('left the page')
  await expect(call('GET /w/:slug/members', { slug: 'n' }, signal)).rejects.toThrow('left the page')
  await expect(call('GET /w/:slug/fleet', { slug: 'n' }, { limit: 1 }, signal)).rejects.toThrow('left the page')
  await expect(call('GET /w/:slug/fleet', { slug: 'n' }, undefined, signal)).rejects.toThrow('left the page')
  expect(asked).toHaveBeenCalledTimes(4)
})

test('a refusal is thrown with its code and message, a lost connection as offline', async () => {
  answering(409, { error: { code: 'name_taken', message: 'There is one already.' } })
  await expect(call('POST /w/:slug/agents', { slug: 'n' }, { name: 'mail' })).rejects.toEqual(
    new ApiError(409, 'name_taken', 'There is one already.'),
  )
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed')))
  await expect(call('GET /me')).rejects.toMatchObject({ status: 0, code: 'offline' })
})

test('a download is a path', () => {
  expect(addressFor('GET /w/:slug/agents/:name/logs/:id/download', { slug: 'n', name: 'mail', id: '7' })).toBe(
    '/api/web/w/n/agents/mail/logs/7/download',
  )
  const at = { slug: 'n', blueprint: 'mail', version: '1.0' }
  const bundle = addressFor('GET /w/:slug/blueprints/:blueprint/versions/:version/bundle', at)
  expect(bundle).toBe('/api/web/w/n/blueprints/mail/versions/1.0/bundle')
})

test('the result of a call has the type of its route', () => {
  const given = () => ({
    token: call('POST /w/:slug/agents/:name/token', { slug: 'n', name: 'mail' }),
    members: call('GET /w/:slug/members', { slug: 'n' }),
  })
  expectTypeOf<ReturnType<typeof given>>().toEqualTypeOf<{ token: Promise<NewToken>; members: Promise<Members> }>()
})

test('a wrong path, method, parameter or field does not compile', () => {
  const at = { slug: 'n', name: 'mail' }
  const signal = new AbortController().signal
  const wrong = () => [
    // @ts-expect-error a path that is no route
    call('GET /w/:slug/agent/:name', at),
    // @ts-expect-error a method that the path does not have
    call('PUT /w/:slug/agents/:name', at),
    // @ts-expect-error a parameter is missing
    call('GET /w/:slug/agents/:name', { slug: 'n' }),
    // @ts-expect-error all parameters are missing
    call('GET /w/:slug/agents/:name'),
    // @ts-expect-error a parameter that the path does not have
    call('GET /w/:slug/members', { slug: 'n', name: 'mail' }),
    // @ts-expect-error a parameter of another type
    call('GET /w/:slug/agents/:name', { slug: 'n', name: 1 }),
    // @ts-expect-error the input is missing
    call('PATCH /w/:slug/agents/:name', at),
    // @ts-expect-error a field is missing
    call('PATCH /w/:slug/agents/:name', at, {}),
    // @ts-expect-error a field that is not taken
    call('PATCH /w/:slug/agents/:name', at, { name: 'x', level: 'ok' }),
    // @ts-expect-error a field of another type
    call('PATCH /w/:slug/agents/:name', at, { name: 1 }),
    // @ts-expect-error a word that is none of the accepted ones
    call('PATCH /w/:slug/members/:id', { slug: 'n', id: '1' }, { role: 'owner' }),
    // @ts-expect-error a query that the route does not read
    call('GET /w/:slug/fleet', { slug: 'n' }, { order: 'name' }),
    // @ts-expect-error a value that the query does not know
    call('GET /w/:slug/fleet', { slug: 'n' }, { sort: 'age' }),
    // @ts-expect-error input for a route that takes none
    call('POST /w/:slug/agents/:name/token', at, { name: 'x' }),
    // @ts-expect-error a signal in the place of the input
    call('GET /w/:slug/fleet', { slug: 'n' }, signal),
    // @ts-expect-error a command without what its type takes
    call('POST /w/:slug/agents/:name/commands', at, { type: 'log' }),
    // @ts-expect-error an upload is no JSON
    call('POST /w/:slug/blueprints', { slug: 'n' }),
    // @ts-expect-error a field that the answer does not have
    async () => (await call('GET /me')).password,
  ]
  expect(wrong).toBeTypeOf('function')
})

test('a request without an answer in time is given up, and frees its connection', async () => {
  const late = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal)
  vi.stubGlobal(
    'fetch',
    (_path: string, { signal }: RequestInit) =>
      new Promise((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason))),
  )
  const asked = call('GET /me', new AbortController().signal)
  late.abort()
  await expect(asked).rejects.toMatchObject({ status: 0, message: expect.stringContaining('did not answer in time') })
})

test('the service’s time in the first answer counts from then on, and without a stream that of each answer', async () => {
  followAnswers(true)
  const at = Date.UTC(2020, 1, 2)
  const answers = [200, 401].map((status, i) => {
    return new Response('{}', { status, headers: { [serviceTimeHeader]: String(at + i * 3_600_000) } })
  })
  vi.stubGlobal('fetch', async () => answers.shift())
  await call('GET /door')
  expect(serviceNow() - at).toBeLessThan(60_000)
  await expect(call('GET /me')).rejects.toBeInstanceOf(ApiError)
  expect(serviceNow() - at).toBeGreaterThanOrEqual(3_600_000)
  followAnswers(false)
})
