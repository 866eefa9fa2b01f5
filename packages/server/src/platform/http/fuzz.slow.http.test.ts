/**
 * Tests that no faulty report and no request target causes a 5xx. `npm test` leaves this out.
 * packages/server/src/platform/http/refusals.http.test.ts proves the same rules.
 */
import { Agent } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { mutate, mutatedBytes, randomOf } from '../../../../protocol/testing/mutate.ts'
import { sampleReport } from '../../../../protocol/testing/sample.ts'
import { send, startService, type TestService } from '../../../testing/service.ts'
import { openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { exchange, startWhole } from '../../../testing/whole.ts'

const long = level === 'long'
const reports = long ? 100_000 : 1_000
const clients = 16

let w: TestWorkspace
let service: TestService

beforeAll(async () => {
  w = await newTestWorkspace(await openTestSqlite())
  // The clock advances each time the service reads it, so that the rate limit refuses none of the test's reports.
  let at = w.clock.now()
  service = await startService(w.store, {
    now: () => {
      at += 500
      return at
    },
  })
})
afterAll(async () => {
  await service.stop()
  await w.store.close()
})

test(`${reports} reports with faults in every part give 200 or 400, never a 5xx, and the service keeps running (I10)`, {
  timeout: long ? 1_800_000 : 120_000,
}, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const random = randomOf(20261121)
  const callers = await Promise.all(Array.from({ length: 40 }, (_, i) => w.addAgent(`a${i}`)))
  const statuses = new Map<number, number>()
  let left = reports
  const client = async () => {
    while (left-- > 0) {
      const faults = 1 + Math.floor(random() * 4)
      const body = Buffer.from(JSON.stringify(mutate(sampleReport, random, faults)) ?? '')
      const bytes = random() < 0.3 ? mutatedBytes(body, random, faults) : body
      const { token } = callers[left % callers.length] ?? w.agent
      const { status } = await send(service, { token, body: bytes, agent })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  expect([...statuses.keys()].filter((status) => ![200, 400, 413].includes(status))).toEqual([])
  expect(statuses.get(200)).toBeGreaterThan(reports / 4)
  expect(statuses.get(400)).toBeGreaterThan(0)
  expect(service.errors).toEqual([])
  expect((await send(service, { token: w.agent.token, body: '{"protocol":1}' })).status).toBe(200)
})

/** Pieces from which the test puts request targets together, including some that are hard to parse. */
const pieces = [
  ...[
    '/',
    '//',
    '/\\',
    '\\',
    '.',
    '..',
    '/../',
    '?',
    '#',
    '[',
    ']',
    ':',
    '@',
    '%',
    '%2f',
    '%5C',
    '%00',
    '%zz',
    '%c0%af',
    '%E2%82',
  ],
  ...[
    '"',
    "'",
    '<',
    '|',
    '{',
    '\xe9',
    '\xff',
    ';',
    '&',
    '=',
    ' ',
    '\t',
    'a',
    'é',
    '.js',
    '.html',
    'http://',
    'https://localhost:8787',
    '*',
  ],
  ...['/assets/x.js', '/cli/svc.pyz', '/cli/', '/w/north/agents/mail', '/invitations/abc', '/join/x', '/start?token='],
  ...[
    '/api/web/me',
    '/api/web/w/north/events?agent=',
    '/api/web/w/',
    '/api/auth/',
    '/api/agent/v1/report',
    '/api/agent/v1/bundle/',
  ],
  ...['"'.repeat(200), '\\'.repeat(300), '\xe9'.repeat(500), 'x'.repeat(5000), '/x'.repeat(3000)],
]
const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'QUERY',
  'CONNECT',
]

test('no request target causes a 5xx, nor more than one line of 1 KB in the log (I10)', {
  timeout: long ? 1_800_000 : 120_000,
}, async () => {
  const whole = await startWhole(w.store, { now: w.clock.now })
  const random = randomOf(20261122)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const targets = Array.from(
    { length: long ? 50_000 : 500 },
    () =>
      (random() < 0.7 ? '/' : '') + Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(pieces)).join(''),
  )
  const bad: unknown[] = []
  let left = targets.length
  const client = async () => {
    while (left-- > 0) {
      const [method, target] = [pick(methods), targets[left] ?? '/']
      const head = `${method} ${target} HTTP/1.1\r\nHost: localhost:8787\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
      const answer = await exchange(whole.port, head)
      if (!/^HTTP\/1\.1 [234]\d\d /.test(answer)) bad.push([method, target.slice(0, 100), answer.slice(0, 300)])
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await whole.stop()
  expect(bad).toEqual([])
  expect(whole.lines.length).toBeLessThanOrEqual(targets.length)
  expect(Math.max(...whole.lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(1024)
})
