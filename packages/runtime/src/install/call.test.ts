/**
 * Tests the two install calls over real HTTP: after which answers the install code is used up, and which answers are
 * refused.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bundle, code, previewOf, redeemedOf } from '../../testing/blueprint.ts'
import { token } from '../../testing/folder.ts'
import { json, type Reply, type Service, startService, unknownCode } from '../../testing/service.ts'
import { checkRedeemed, redeemCode, retryWhileLimited } from './call.ts'

let service: Service
beforeAll(async () => {
  vi.stubEnv('SVC_TIME_SCALE', '0.005')
  service = await startService()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await service.close()
})
const asked = (origin: string) => redeemCode(origin, code, new AbortController().signal)

const breaksOff: Reply = (response, _came, socket) => {
  response.writeHead(200, { 'content-length': '100000' }).write('{"agent":')
  setTimeout(() => socket.destroy(), 10)
}
test.each<[string, Reply, 'unknown' | 'refused', string]>([
  ['whose connection is cut before the answer', (_r, _c, socket) => socket.destroy(), 'unknown', 'incomplete answer'],
  ['whose answer breaks off', breaksOff, 'unknown', 'incomplete answer'],
  ['that a proxy answers with 502', json({}, 502), 'unknown', '502'],
  ['whose answer is not JSON', (r) => void r.writeHead(200).end('<html>'), 'unknown', 'not in JSON'],
  ['that gets no byte for 30 s', () => {}, 'unknown', 'incomplete answer'],
  ['of a code that was used meanwhile', unknownCode, 'refused', 'does not know this code'],
  [
    'to another address than that of the service',
    json({ error: { code: 'not_found', message: 'This service answers only at https://svc.example.org.' } }, 404),
    'refused',
    'answers only at https://svc.example.org',
  ],
  ['that a proxy answers with 404', (r) => void r.writeHead(404).end('<html>'), 'refused', 'it answered 404'],
  [
    'for a name that is taken',
    json({ error: { code: 'agent_name_taken', message: 'That name is taken.' } }, 409),
    'refused',
    'That name is taken',
  ],
])('a call %s is made once, and it is known whether the code may be spent (D44)', async (_what, reply, is, says) => {
  const before = service.installs.length
  service.install = reply
  expect(await asked(service.origin)).toEqual({ ok: false, is, message: expect.stringContaining(says) })
  expect(service.installs.length - before).toBe(1)
})

test('a call to an unreachable service has spent nothing', async () =>
  expect(await asked('http://127.0.0.1:9')).toMatchObject({ ok: false, is: 'unreached' }))

const busy =
  (wait?: string): Reply =>
  (response) =>
    void response
      .writeHead(429, { 'content-type': 'application/json', ...(wait !== undefined && { 'retry-after': wait }) })
      .end('{"error":{"code":"rate_limited","message":"Too many."}}')

test.each<[header: string | undefined, seconds: number]>([
  ['7', 7],
  ['0', 1],
  ['99999', 300],
  [undefined, 60],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 60],
])(
  'a refusal with the header Retry-After %s is repeated after %i s, until the service takes the call',
  async (header, seconds) => {
    const waits: number[] = []
    const before = service.installs.length
    const replies = [busy(header), busy(header), unknownCode]
    service.install = (...came) => replies.shift()?.(...came)
    const answer = await retryWhileLimited(
      () => asked(service.origin),
      (wait) => waits.push(wait),
    )
    expect(answer).toMatchObject({ is: 'refused', message: expect.stringContaining('does not know this code') })
    expect(waits).toEqual([seconds, seconds])
    expect(service.installs.length - before).toBe(3)
  },
)

test('calls that are always refused as too many end when the code is over', async () => {
  service.install = busy('300')
  const waits: number[] = []
  const answer = await retryWhileLimited(
    () => asked(service.origin),
    (wait) => waits.push(wait),
  )
  expect(answer).toMatchObject({ ok: false, is: 'refused', message: expect.stringContaining('429') })
  expect(waits.length).toBeGreaterThan(0)
  expect(waits.length).toBeLessThanOrEqual(3)
})

const packed = await bundle()
const redeemed = redeemedOf(packed)
test.each<[string, unknown, string]>([
  ['another agent', { ...redeemed, agent: { name: 'other' } }, 'names the agent "other"'],
  ['another blueprint', { ...redeemed, blueprint: 'other' }, 'names the blueprint "other"'],
  ['another version', { ...redeemed, version: '9.9.9' }, 'names the version "9.9.9"'],
  ['a checksum that does not match', { ...redeemed, sha256: '0'.repeat(64) }, 'checksum of the bundle does not match'],
  [
    'a bundle that is cut',
    { ...redeemed, bundle: redeemed.bundle.slice(0, 400) },
    'checksum of the bundle does not match',
  ],
  ['a variable of the loader', { ...redeemed, env: { SVC_TOKEN: token, LD_PRELOAD: '/x' } }, 'not the service'],
  ['a value of two lines', { ...redeemed, env: { SVC_TOKEN: `${token}\nLD_PRELOAD=/x` } }, 'no text of one line'],
  ['no token', { ...redeemed, env: {} }, 'no agent token'],
])('an answer with %s is refused (4, rule 6)', (_what, answer, says) =>
  expect(checkRedeemed(answer, previewOf(packed) as never)).toMatchObject({
    ok: false,
    message: expect.stringContaining(says),
  }),
)
test('an answer that matches the preview is accepted', () =>
  expect(checkRedeemed(redeemed, previewOf(packed) as never)).toMatchObject({ ok: true }))
