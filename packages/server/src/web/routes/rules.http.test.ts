/** Rules that hold for all routes of the page, each tested with every route. */
import { request } from 'node:http'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Browser, serve } from '../../../testing/page/service.ts'

/** The routes that work without being signed in; all others require a session. */
const open = [
  'POST /api/auth/sign-in/email',
  'POST /api/auth/sign-out',
  'GET /api/web/door',
  'GET /api/web/start',
  'POST /api/web/start',
  'POST /api/web/link',
  'POST /api/web/second-factor',
  'POST /api/web/passkey',
  'POST /api/web/passkey/options',
  'GET /api/web/oidc/start',
  'GET /api/web/oidc/callback',
  'GET /api/web/claim',
  'POST /api/web/claim',
  'POST /api/web/forgot',
  'GET /api/web/invitations/:id',
  'POST /api/web/invitations/:id',
  'GET /cli/svc.pyz',
  'GET /cli/svc.pyz.sha256',
  'GET /cli/svc.pyz.sig',
]
/** The routes of a workspace that its members may use; all other routes of a workspace are for admins. */
const members = [
  'GET /api/web/w/:slug',
  'GET /api/web/w/:slug/fleet',
  'GET /api/web/w/:slug/agents/:name',
  'GET /api/web/w/:slug/agents/:name/runs',
  'GET /api/web/w/:slug/fleet/facets',
  'GET /api/web/w/:slug/fleet/groups',
  'GET /api/web/w/:slug/fleet/map',
  'GET /api/web/w/:slug/fleet/names',
  'GET /api/web/w/:slug/agents/:name/runs/export',
  'GET /api/web/w/:slug/agents/:name/usage',
  'GET /api/web/w/:slug/history/cost',
  'GET /api/web/w/:slug/history/cost/export',
  'GET /api/web/w/:slug/cost',
  'GET /api/web/w/:slug/cost/runs',
  'GET /api/web/w/:slug/agents/:name/jobs',
  'GET /api/web/w/:slug/agents/:name/history/states',
  'GET /api/web/w/:slug/agents/:name/history/changes',
  'GET /api/web/w/:slug/agents/:name/history/trend',
  'GET /api/web/w/:slug/history/fleet',
  'GET /api/web/w/:slug/history/strips',
  'GET /api/web/w/:slug/agents/:name/commands',
  'GET /api/web/w/:slug/agents/:name/updates',
  'GET /api/web/w/:slug/versions',
  'GET /api/web/w/:slug/runtime',
  'GET /api/web/w/:slug/views',
  'PUT /api/web/w/:slug/views',
  'DELETE /api/web/w/:slug/views/:id',
  'GET /api/web/w/:slug/actions',
  'GET /api/web/w/:slug/actions/:id',
  'GET /api/web/w/:slug/rollouts',
  'GET /api/web/w/:slug/rollouts/:id',
  'GET /api/web/w/:slug/members',
  'GET /api/web/w/:slug/activity',
  'GET /api/web/w/:slug/activity/export',
  'GET /api/web/w/:slug/blueprints',
  'GET /api/web/w/:slug/blueprints/:blueprint',
  'GET /api/web/w/:slug/blueprints/:blueprint/versions/:version',
  'GET /api/web/w/:slug/codes',
  'GET /api/web/w/:slug/codes/:id',
  'GET /api/web/w/:slug/bots',
  'GET /api/web/w/:slug/products',
  'GET /api/web/w/:slug/alerts',
  'GET /api/web/w/:slug/alerts/lines',
  'GET /api/web/w/:slug/alerts/timeline',
  'GET /api/web/w/:slug/agents/:name/alerts',
  'POST /api/web/w/:slug/alerts/:id/acknowledge',
  'POST /api/web/w/:slug/alerts/acknowledge',
  'GET /api/web/w/:slug/mutes',
  'POST /api/web/w/:slug/mutes',
  'DELETE /api/web/w/:slug/mutes/:id',
  'GET /api/web/w/:slug/rules',
  'GET /api/web/w/:slug/alert-settings',
  'GET /api/web/w/:slug/agents/:name/hours',
  'GET /api/web/w/:slug/channels',
  'GET /api/web/w/:slug/my-channels',
  'POST /api/web/w/:slug/my-channels',
  'PATCH /api/web/w/:slug/my-channels/:channel',
  'POST /api/web/w/:slug/my-channels/:channel/test',
  'GET /api/web/w/:slug/my-channels/:channel/tests/:id',
  'DELETE /api/web/w/:slug/my-channels/:channel',
]
/** Routes on which a member may only act on their own entry. */
const ownOnly = ['DELETE /api/web/w/:slug/members/:id']

async function newSetup() {
  const service = await serve()
  const north = await service.workspace('north')
  await service.workspace('south')
  const { agent } = await service.agent(north, 'mail')
  const routes = service.app.routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)
  return {
    service,
    agent,
    routes: [...new Set(routes)],
    admin: await service.person('Ann', 'north', 'admin'),
    member: await service.person('Bob', 'north', 'member'),
    stranger: await service.person('Eve', 'south', 'admin'),
  }
}

const call = (browser: Browser, route: string) => {
  const [method = '', path = ''] = route.split(' ')
  const filled = path.replace(':slug', 'north').replace(':name', 'mail').replace(':id', 'some-id')
  return browser.send(method, filled, method === 'GET' || method === 'DELETE' ? undefined : {})
}

test('every route requires a session, except those listed', async () => {
  const { service, routes } = await newSetup()
  expect(routes.length).toBeGreaterThan(30)
  for (const route of routes.filter((r) => !open.includes(r))) {
    const answer = await call(service.browser(), route)
    expect([route, answer.status, answer.body]).toMatchObject([route, 401, { error: { code: 'sign_in_needed' } }])
  }
  for (const route of open.filter((r) => r.includes('/api/'))) {
    expect(routes).toContain(route)
    expect([route, (await call(service.browser(), route)).status]).not.toEqual([route, 401])
  }
})

test('to people outside a workspace, each of its routes answers as if it did not exist', async () => {
  const { routes, stranger } = await newSetup()
  const ofWorkspace = routes.filter((r) => r.includes('/w/:slug'))
  expect(ofWorkspace.length).toBeGreaterThan(20)
  for (const route of ofWorkspace) {
    const answer = await call(stranger, route)
    expect([route, answer.status, answer.body]).toMatchObject([route, 404, { error: { code: 'workspace_unknown' } }])
  }
})

test('every route of a workspace is for admins only, except those listed', async () => {
  const { routes, member, admin } = await newSetup()
  const deletes = 'DELETE /api/web/w/:slug'
  const all = [...routes.filter((route) => route !== deletes), deletes]
  for (const route of all.filter((r) => r.includes('/w/:slug') && !ownOnly.includes(r))) {
    const status = (await call(member, route)).status
    expect([route, status === 403]).toEqual([route, !members.includes(route)])
    expect([route, (await call(admin, route)).status]).not.toEqual([route, 403])
  }
  for (const route of members) expect(routes).toContain(route)
})

test('every write from another origin is refused, even if an admin is signed in', async () => {
  const { service, routes, admin } = await newSetup()
  const writes = routes.filter((r) => !r.startsWith('GET'))
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': '' },
    { origin: 'null', 'sec-fetch-site': '' },
    { origin: '', 'sec-fetch-site': 'same-site' },
    { origin: service.origin.replace('http:', 'https:'), 'sec-fetch-site': '' },
  ]
  for (const route of writes) {
    for (const headers of foreign) {
      const [method = '', path = ''] = route.split(' ')
      const answer = await sent(service.origin, admin.cookie, method, path.replace(':slug', 'north'), headers)
      expect([route, headers, answer]).toEqual([route, headers, 403])
    }
  }
  expect((await admin.get('/api/web/me')).status).toBe(200)
})

test('a form of another site cannot be disguised as a write', async () => {
  const { admin } = await newSetup()
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await admin.send('POST', '/api/web/w/north/agents', '{"name":"x"}', { 'content-type': type })
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'body_invalid' } } })
  }
})

test('every answer has headers that forbid frames and foreign scripts', async () => {
  const { admin, service } = await newSetup()
  for (const path of ['/', '/w/north', '/api/web/me', '/api/web/nothing', '/cli/svc.pyz', '/api/web/w/north/fleet']) {
    const { headers } = await admin.get(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(/script-src 'self';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('permissions-policy')).toContain('camera=()')
    expect(headers.has('access-control-allow-origin')).toBe(false)
    if (path.startsWith('/api')) expect([path, headers.get('cache-control')]).toEqual([path, 'no-store'])
  }
  expect((await service.browser().get('/api/web/me')).headers.get('cache-control')).toBe('no-store')
})

test('an unknown address answers 404 in the envelope, whatever the method', async () => {
  const { admin } = await newSetup()
  for (const path of ['/api/web/nothing', '/api/nothing', '/api/web/w/north/nothing', '/cli/other', '/api/auth/ok']) {
    for (const method of ['GET', 'POST', 'PUT']) {
      const answer = await admin.send(method, path, method === 'GET' ? undefined : {})
      expect([method, path, answer.status, answer.body]).toMatchObject([method, path, 404, { error: {} }])
    }
  }
})

test.each([
  ['not JSON', '{"name":', 400, 'body_invalid'],
  ['a list', '[]', 400, 'body_invalid'],
  ['nothing', '', 400, 'body_invalid'],
  ['a field of another type', '{"name":7}', 400, 'body_invalid'],
  ['more than 64 KB', JSON.stringify({ name: 'x'.repeat(70_000) }), 413, 'body_too_large'],
  ['more than a megabyte', JSON.stringify({ name: 'x'.repeat(1_200_000) }), 413, 'body_too_large'],
  ['nested too deeply', `{"name":${'['.repeat(40)}${']'.repeat(40)}}`, 400, 'body_invalid'],
])('a body that is %s is refused in the envelope', async (_what, body, status, code) => {
  const { admin } = await newSetup()
  const answer = await admin.send('POST', '/api/web/w/north/agents', body)
  expect(answer).toMatchObject({ status, body: { error: { code } } })
})

test('a body that never arrives completely does not count as a fault of the service', async () => {
  const { service, admin } = await newSetup()
  const { hostname, port } = new URL(service.origin)
  const headers = { cookie: admin.cookie, 'content-type': 'application/json', 'content-length': '100' }
  for (let i = 0; i < 5; i++) {
    await new Promise<void>((resolve) => {
      const req = request({ hostname, port, method: 'POST', path: '/api/web/w/north/agents', headers })
      req.on('error', () => resolve())
      req.write('{"name":', () => req.destroy())
    })
  }
  expect((await admin.get('/api/web/me')).status).toBe(200)
  expect(service.errors).toEqual([])
})

test('hostile addresses and headers never cause a 5xx (I10)', async () => {
  const { service, admin } = await newSetup()
  const paths = [
    '/%',
    '/%00',
    '/a%2f..%2f..%2fetc/passwd.txt',
    '/..%2f..%2fpackage.json',
    '/assets/..%5c..%5cx.js',
    '//x//y.js',
  ]
  paths.push(
    '/api/web/w/%00/fleet',
    '/api/web/w/%ff/fleet',
    '/api/web/w/north/agents/%00',
    `/api/web/w/${'x'.repeat(5000)}`,
  )
  paths.push('/api/web/w/north/fleet?offset=-1&limit=1e9&sort=__proto__&level=constructor', '/api/web/start?token=%00')
  paths.push(
    '/api/web/w/north/agents/mail/runs?offset=99999999999999999999&text=%00',
    '/api/web/w/north/activity?before=x',
  )
  for (const path of paths) {
    const status = await sent(service.origin, admin.cookie, 'GET', path, {})
    expect([path, status < 500]).toEqual([path, true])
  }
  for (const cookie of [
    'svc.session=',
    'svc.session=%',
    'svc.session=a.b',
    `svc.session=${'x'.repeat(8000)}`,
    ';;;=;',
  ]) {
    expect([cookie.length, await sent(service.origin, cookie, 'GET', '/api/web/me', {})]).toEqual([cookie.length, 401])
  }
})

test('when the database fails, the answer is 503 with Retry-After, without details', async () => {
  const { service, admin } = await newSetup()
  await sql`pragma query_only = on`.execute(service.store.db)
  const answer = await admin.send('PATCH', '/api/web/w/north', { name: 'South' })
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.text).not.toContain('readonly')
})

test('when a statement is wrong, the answer is 500, without details', async () => {
  const { service, admin } = await newSetup()
  await service.store.db.schema.dropTable('agent_report').execute()
  const answer = await admin.get('/api/web/w/north/agents/mail')
  expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal' } } })
  expect(answer.headers.get('retry-after')).toBeNull()
  expect(answer.text).not.toContain('agent_report')
})

/** Sends a request with the same headers as a browser; returns the status. */
function sent(origin: string, cookie: string, method: string, path: string, headers: Record<string, string>) {
  const present = Object.fromEntries(Object.entries(headers).filter(([, v]) => v !== ''))
  const { hostname, port } = new URL(origin)
  return new Promise<number>((resolve, reject) => {
    const body = method === 'GET' || method === 'DELETE' ? undefined : '{}'
    const content = body === undefined ? {} : { 'content-type': 'application/json' }
    const req = request({ hostname, port, method, path, headers: { ...content, ...present, cookie } }, (res) => {
      res.resume()
      resolve(res.statusCode ?? 0)
    })
    req.on('error', reject)
    req.end(body)
  })
}
