/**
 * Tests the forms of refusals: the page gets them with status 200 if it asks for that, so that the browser's console
 * shows no error, and somebody who opens the address gets a page.
 */
import { refusedHeader } from '@svc/api/refused'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { serve } from '../../../testing/page/service.ts'
import { logRequests } from '../../platform/http/requests.ts'

/** Each refusal with its request. Those that the page does not expect keep their status. */
const refusals: readonly [answer: string, request: [method: string, path: string, body?: unknown], kept?: 'kept'][] = [
  ['404 link_unknown', ['GET', '/api/web/start?token=x']],
  ['404 link_unknown', ['GET', '/api/web/claim?token=x']],
  ['404 link_unknown', ['POST', '/api/web/link', { token: 'x' }]],
  ['404 invitation_unknown', ['GET', '/api/web/invitations/x']],
  ['404 workspace_unknown', ['GET', '/api/web/w/none']],
  ['404 agent_unknown', ['GET', '/api/web/w/north/agents/none']],
  ['404 not_found', ['GET', '/api/web/nothing']],
  ['403 proof_required', ['POST', '/api/web/factors/totp', {}]],
  ['400 password_wrong', ['POST', '/api/web/proof', { password: 'not the password' }]],
  ['400 filter_invalid', ['GET', '/api/web/w/north/fleet?q=level:green']],
  ['409 slug_taken', ['POST', '/api/web/workspaces', { name: 'North', slug: 'north' }]],
  ['401 second_factor_failed', ['POST', '/api/web/second-factor', { code: '123456' }], 'kept'],
  ['401 sign_in_failed', ['POST', '/api/auth/sign-in/email', { email: 'x@example.org', password: 'none' }], 'kept'],
  ['404 not_found', ['GET', '/api/nothing'], 'kept'],
]

test('an expected refusal has status 200 for the page that asks for that, and its real status for programs', async () => {
  const service = await serve()
  logRequests(service.server, service.log)
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  service.pass(660)
  const answers = []
  const logged = (about: string) =>
    service.lines.map((line) => JSON.parse(line)).filter(({ msg, level }) => msg === about && level === 'info')
  for (const [answer, [method, path, body]] of refusals) {
    const send = (headers: Record<string, string>) =>
      ann.send<{ error?: { code: string } }>(method, path, body, headers)
    const [plain, quiet] = [await send({}), await send({ [refusedHeader]: '200' })]
    expect([answer, plain.headers.get(refusedHeader), plain.body]).toEqual([answer, null, quiet.body])
    answers.push({
      path,
      programs: `${plain.status} ${plain.body.error?.code}`,
      page: [quiet.status, quiet.headers.get(refusedHeader)],
    })
  }
  const wanted = refusals.map(([answer, [, path], kept]) => {
    const status = answer.split(' ')[0]
    return { path, programs: answer, page: kept ? [Number(status), null] : [200, status] }
  })
  expect(answers).toEqual(wanted)
  // The log names the real status of each refusal, for programs and for the page. A refused sign-in, link or invitation
  // has a line about the sign-in instead.
  const isWayIn = ([answer]: (typeof refusals)[number]) => /link|invitation|second_factor|sign_in/.test(answer)
  const others = refusals.filter((refusal) => !isWayIn(refusal))
  const statuses = others.flatMap(([answer]) => [Number(answer.split(' ')[0]), Number(answer.split(' ')[0])])
  await eventually('the log line of each refusal', () => {
    expect(logged('request').map(({ status }) => status)).toEqual(statuses)
    const waysIn = logged('sign-in').filter(({ outcome }) => outcome !== 'ok')
    expect(waysIn).toHaveLength(2 * (refusals.length - others.length))
  })
})

const opens = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.each([
  ['an export without a session', 401, '/api/web/w/north/history/cost/export'],
  ['a log without a session', 401, '/api/web/w/north/agents/a/logs/1/download'],
  ['a bundle without a session', 401, '/api/web/w/north/blueprints/b/versions/1.0.0/bundle'],
  ['an address of no route', 404, '/api/web/nothing'],
  ['a missing file', 404, '/none.png'],
  ['an address that no route may get', 404, '/w//north'],
])('somebody who opens %s gets a page that says why, and a program gets JSON', async (_, status, path) => {
  const service = await serve()
  const { headers, text, ...page } = await service.browser().get(path, opens)
  expect([page.status, headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/)
  expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY'])
  const json = await service.browser().get<{ error: { message: string } }>(path)
  expect([json.status, json.headers.get('content-type')]).toEqual([status, 'application/json'])
  expect(text).toContain(json.body.error.message)
  expect(text).toContain(service.baseUrl)
})
