/**
 * Tests requests that Node or the router would refuse without the service's JSON error, or accept although they must
 * not. The requests are sent as raw bytes.
 */
import { limits } from '@svc/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { exchange, startWhole, type WholeService } from '../../../testing/whole.ts'

let w: TestWorkspace
let whole: WholeService
beforeAll(async () => {
  w = await newTestWorkspace(await openTestSqlite())
  whole = await startWhole(w.store, { now: w.clock.now })
})
afterAll(async () => {
  await whole.stop()
  await w.store.close()
})

interface Read {
  status: number
  head: string
  body: string
}
function read(said: string): Read {
  const [head = '', body = ''] = said.split(/\r\n\r\n(.*)/s)
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body }
}
const host = 'Host: localhost:8787\r\n'
const send = async (bytes: string) => read(await exchange(whole.port, bytes))
const codeOf = ({ body }: Read) => JSON.parse(body).error.code

test.each([
  ['HTTP/1.1 without a host', 'GET / HTTP/1.1\r\n\r\n', 400, 'request_invalid'],
  ['HTTP/1.0 without a host', 'GET / HTTP/1.0\r\n\r\n', 404, 'not_found'],
  [
    'two hosts, the first one of the service',
    `GET / HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`,
    400,
    'request_invalid',
  ],
  ['two hosts, both of the service', `GET / HTTP/1.1\r\n${host}${host}\r\n`, 400, 'request_invalid'],
  [
    'two codings',
    `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    400,
    'request_invalid',
  ],
  [
    'the coding in two headers',
    `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'request_invalid',
  ],
  [
    'chunks in HTTP/1.0',
    `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'request_invalid',
  ],
  ['garbage', 'hello\r\n\r\n', 400, 'request_invalid'],
  ['headers that are too large', `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'request_invalid'],
  ['CONNECT', `CONNECT localhost:8787 HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
  ['an absolute target with another scheme', `GET https://localhost:8787/ HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
  ['an absolute target with another host', `GET http://evil.example/ HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
])('%s is refused in the envelope', async (_what, bytes, status, code) => {
  const answer = await send(bytes.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  expect([answer.status, codeOf(answer)]).toEqual([status, code])
  expect(answer.head).toMatch(/^content-type: application\/json/im)
  expect(answer.head).toMatch(/^cache-control: no-store/im)
})

test.each([20_000, 60_000, 200_000])(
  'a browser that sends %i bytes of cookies gets a page that names cookies',
  async (size) => {
    const accept = 'Accept: text/html,application/xhtml+xml;q=0.9\r\n'
    const ask = (head: string) => send(`${head}Cookie: ${'c'.repeat(size)}\r\n\r\n`)
    const answer = await ask(`GET /w/north HTTP/1.1\r\n${host}${accept}`)
    expect(answer.status).toBe(431)
    expect(answer.head).toMatch(/^content-type: text\/html/im)
    expect(answer.head).toMatch(/^cache-control: no-store/im)
    expect(answer.body).toContain('Delete the cookies of this host')
    for (const head of [
      `GET /w/north HTTP/1.1\r\n${host}Accept: */*\r\n`,
      `POST /w/north HTTP/1.1\r\n${host}${accept}`,
    ])
      expect(codeOf(await ask(head))).toBe('request_invalid')
  },
)

test.each([
  '//',
  '///x',
  '//[',
  '/\\',
  '/\\evil.example',
  'http://localhost:8787//',
  `/${'a'.repeat(300)}.js`,
  '/assets/none.js',
  '/%',
  '/%00',
  '/%c0%af',
  '/a/../b',
  '/a/%2e%2e/b',
  '/cli//svc.pyz',
  '/cli/svc.pyz/',
  '/cli/none',
  '/api/none',
  '/api/agent/v1/report/',
])('a request for %s is answered with 404 in the envelope, not to be cached', async (target) => {
  for (const method of ['GET', 'HEAD', 'POST']) {
    const answer = await send(`${method} ${target} HTTP/1.1\r\n${host}Connection: close\r\nContent-Length: 0\r\n\r\n`)
    expect([method, answer.status]).toEqual([method, 404])
    expect(answer.head).toMatch(/^cache-control: no-store/im)
    if (method !== 'HEAD') expect(codeOf(answer)).toBe('not_found')
  }
})

test('a request whose forwarded host is not a host is refused in the envelope', async () => {
  const behind = await startWhole(w.store, { now: w.clock.now, proxies: ['127.0.0.1'] })
  const bytes = 'GET / HTTP/1.1\r\nHost: ]\r\nX-Forwarded-Host: localhost:8787\r\nConnection: close\r\n\r\n'
  const answer = read(await exchange(behind.port, bytes))
  await behind.stop()
  expect([answer.status, codeOf(answer)]).toEqual([400, 'request_invalid'])
})

test('a route that answers GET also answers HEAD', async () => {
  const { token } = w.agent
  const ask = (method: string) =>
    send(
      `${method} /api/agent/v1/bundle/1.0.0 HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    )
  const [get, head] = [await ask('GET'), await ask('HEAD')]
  expect([get.status, codeOf(get)]).toEqual([404, 'version_unknown'])
  expect([head.status, head.body]).toEqual([404, ''])
  expect(head.head).toMatch(/^content-length: \d\d/im)
})

test.each([
  ['a report', '/api/agent/v1/report', 99_999_999, 413],
  ['an install call', '/api/agent/v1/install', 99_999_999, 413],
  ['a sign-in', '/api/auth/sign-in/email', 99_999_999, 413],
  ['a report of the largest size', '/api/agent/v1/report', limits.reportBytes, 100],
])('a client that announces %s and waits to send it is refused immediately', async (_what, path, length, status) => {
  const socket = exchange(
    whole.port,
    `POST ${path} HTTP/1.1\r\n${host}Authorization: Bearer ${w.agent.token}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${status === 100 ? 'x'.repeat(length) : ''}`,
  )
  expect(read(await socket).status).toBe(status)
})

test('an empty Content-Encoding counts as none, on every route of an agent', async () => {
  const ask = (path: string, encoding: string) =>
    send(
      `POST /api/agent/v1/${path} HTTP/1.1\r\n${host}Authorization: Bearer ${w.agent.token}\r\nConnection: close\r\n` +
        `Content-Encoding: ${encoding}\r\nContent-Length: 14\r\n\r\n{"protocol":1}`,
    )
  expect((await ask('report', '')).status).toBe(200)
  expect((await ask('report', 'Identity')).status).toBe(200)
  for (const path of ['report', 'log', 'install', 'install/preview']) {
    expect((await ask(path, 'gzip')).body).toContain('The body must not be encoded.')
    expect((await ask(path, '')).body).not.toContain('must not be encoded')
  }
})

test('the id of a request is random, and is the same in the answer and in the log', async () => {
  const ids = []
  for (let i = 0; i < 2; i++) {
    const { head } = await send(`GET /cli/none HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
    const id = /^x-request-id: ([\w-]{12})\r?$/im.exec(head)?.[1]
    ids.push(id)
    expect(whole.lines.at(-1)).toContain(`"request":"${id}"`)
  }
  expect(new Set(ids).size).toBe(2)
})
