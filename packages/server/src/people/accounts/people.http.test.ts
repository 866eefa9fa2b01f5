import type { Me, Members, Session } from '@svc/api'
import { expect, test } from 'vitest'
import { operator, password, serve, value } from '../../../testing/page/service.ts'
import { createLink } from './links.ts'
import { resetPassword } from './store.ts'

const ann = { name: 'Ann', email: 'ann@example.org', password, workspace: 'North wind', slug: 'north' }

test('the first link makes the first person and their workspace, activated for svc, and signs in; it works once', async () => {
  const service = await serve()
  const token = value(await createLink({ db: service.store.db, by: operator, now: service.now() }, 'first', null))
  const browser = service.browser()
  expect((await browser.get(`/api/web/start?token=${token}`)).body).toEqual({ ok: true })
  expect(await browser.send('POST', '/api/web/start', { ...ann, token })).toMatchObject({
    status: 200,
    body: { slug: 'north' },
  })
  const me = (await browser.get<Me>('/api/web/me')).body
  expect(me).toMatchObject({ name: 'Ann', email: 'ann@example.org', workspaces: [{ slug: 'north', role: 'admin' }] })
  expect((await browser.get('/api/web/w/north')).body).toEqual({
    slug: 'north',
    name: 'North wind',
    role: 'admin',
    activated: true,
    agents: 0,
    bots: 0,
    unfinishedActions: 0,
    alerts: { unacknowledged: 0, notified: false },
    factor: { from: null, missing: true },
    firstSteps: { agent: false, notified: false, people: false, blueprint: false },
  })
  const second = await service
    .browser()
    .send('POST', '/api/web/start', { ...ann, token, email: 'eve@example.org', slug: 'eve' })
  expect(second).toMatchObject({ status: 404, body: { error: { code: 'link_unknown' } } })
  expect((await browser.get(`/api/web/start?token=${token}`)).status).toBe(404)
})

test.each([
  ['a short password', { password: 'short' }, 'password_invalid'],
  ['no address', { email: 'ann' }, 'email_invalid'],
  ['no name', { name: ' ' }, 'name_invalid'],
  ['a short name with capitals', { slug: 'North' }, 'slug_invalid'],
  ['a short name with two hyphens', { slug: 'no--rth' }, 'slug_invalid'],
])('a first start with %s is refused, leaves the link valid and makes no account', async (_what, wrong, code) => {
  const service = await serve()
  const token = value(await createLink({ db: service.store.db, by: operator, now: service.now() }, 'first', null))
  const refused = await service.browser().send('POST', '/api/web/start', { ...ann, token, ...wrong })
  expect(refused).toMatchObject({ status: 400, body: { error: { code } } })
  expect(await service.store.db.selectFrom('user').selectAll().execute()).toEqual([])
  expect((await service.browser().send('POST', '/api/web/start', { ...ann, token })).status).toBe(200)
})

test('nobody can sign up: no other route of the accounts library can be reached', async () => {
  const service = await serve()
  await service.workspace('north')
  const admin = await service.person('Ann', 'north', 'admin')
  const paths = [
    '/sign-up/email',
    '/update-user',
    '/change-password',
    '/delete-user',
    '/organization/create',
    '/organization/invite-member',
    '/organization/update-member-role',
    '/organization/leave',
    '/sign-in-person',
    '/svc/sign-in-person',
  ]
  for (const path of paths) {
    const answer = await admin.send('POST', `/api/auth${path}`, { email: 'x@example.org', password, name: 'x' })
    expect([path, answer.status]).toEqual([path, 404])
  }
  expect((await admin.get('/api/auth/get-session')).status).toBe(404)
  expect((await admin.get('/api/auth/list-sessions')).status).toBe(404)
})

test('a wrong password and an unknown address get the same answer', async () => {
  const service = await serve()
  await service.workspace('north')
  await service.person('Ann', 'north', 'admin')
  const tries = [
    { email: 'ann@example.org', password: 'not the right one' },
    { email: 'nobody@example.org', password },
  ]
  const answers = await Promise.all(tries.map((t) => service.browser().send('POST', '/api/auth/sign-in/email', t)))
  expect(answers.map(({ status }) => status)).toEqual([401, 401])
  expect(answers[0]?.text).toBe(answers[1]?.text)
  expect(answers[0]?.headers.getSetCookie()).toEqual([])
})

test('too many tries at one account from one address are refused for a while, and other tries are not', async () => {
  const service = await serve()
  await service.workspace('north')
  await service.person('Ann', 'north', 'admin')
  await service.person('Bob', 'north', 'member')
  const attempt = (email: string, secret: string) =>
    service.browser().send('POST', '/api/auth/sign-in/email', { email, password: secret })
  for (let i = 0; i < 8; i++) expect((await attempt('ann@example.org', `wrong ${i} wrong`)).status).toBe(401)
  const refused = await attempt('ann@example.org', password)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await attempt('bob@example.org', password)).status).toBe(200)
  service.pass(301)
  expect((await attempt('ann@example.org', password)).status).toBe(200)
})

test('sign-out ends the session, not only the cookie', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { cookie } = ann
  expect((await ann.send('POST', '/api/auth/sign-out', {})).status).toBe(200)
  expect(ann.cookie).not.toContain('svc.session')
  expect((await service.browser().get('/api/web/me', { cookie })).status).toBe(401)
})

test('two installations on one host do not sign people out of each other', async () => {
  const services = [await serve(), await serve()]
  const jars: string[] = []
  for (const service of services) {
    await service.workspace('north')
    jars.push((await service.person('Ann', 'north', 'admin')).cookie)
  }
  // A browser keeps one cookie of each name for a host.
  const names = jars.flatMap((jar) => jar.split('; ').map((cookie) => cookie.split('=')[0]))
  expect(new Set(names).size).toBe(names.length)
  const cookie = jars.join('; ')
  for (const service of services) expect((await service.browser().get('/api/web/me', { cookie })).status).toBe(200)
})

test('the session cookie of an earlier version signs in, and signing out ends it', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const cookie = ann.cookie.replaceAll(/\.\d+=/g, '=')
  expect(cookie).toMatch(/(^|; )svc\.session=/)
  const me = () => service.browser().get('/api/web/me', { cookie })
  expect((await me()).status).toBe(200)
  expect((await service.browser().send('POST', '/api/auth/sign-out', {}, { cookie })).status).toBe(200)
  expect((await me()).status).toBe(401)
})

test('signing in again ends the session that the browser had', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { cookie } = ann
  await ann.send('POST', '/api/auth/sign-in/email', { email: 'ann@example.org', password })
  expect(ann.cookie).not.toBe(cookie)
  expect((await service.browser().get('/api/web/me', { cookie })).status).toBe(401)
})

test('sessions are listed with the current one first, and can be ended one by one or all others at once', async () => {
  const service = await serve()
  await service.workspace('north')
  const here = await service.person('Ann', 'north', 'admin')
  const [there, elsewhere] = [await service.signedIn('ann@example.org'), await service.signedIn('ann@example.org')]
  const sessions = (await here.get<Session[]>('/api/web/sessions')).body
  expect(sessions.map(({ current }) => current)).toEqual([true, false, false])
  expect(sessions[0]).toMatchObject({ ip: '127.0.0.1', userAgent: 'node' })
  expect(JSON.stringify(sessions)).not.toContain(decodeURIComponent(here.cookie).split('=')[1]?.split('.')[0])

  const thereId = (await there.get<Session[]>('/api/web/sessions')).body[0]?.id
  expect((await here.send('DELETE', `/api/web/sessions/${thereId}`)).status).toBe(200)
  expect((await there.get('/api/web/me')).status).toBe(401)
  expect((await elsewhere.get('/api/web/me')).status).toBe(200)
  expect((await here.send('DELETE', '/api/web/sessions')).status).toBe(200)
  expect((await elsewhere.get('/api/web/me')).status).toBe(401)
  expect((await here.get('/api/web/me')).status).toBe(200)
})

test("nobody can end another person's session", async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const bob = await service.person('Bob', 'north', 'admin')
  const id = (await bob.get<Session[]>('/api/web/sessions')).body[0]?.id
  expect((await ann.send('DELETE', `/api/web/sessions/${id}`)).status).toBe(404)
  expect((await bob.get('/api/web/me')).status).toBe(200)
})

test('a new password requires the current one, ends the other sessions, and works afterwards', async () => {
  const service = await serve()
  await service.workspace('north')
  const here = await service.person('Ann', 'north', 'admin')
  const there = await service.signedIn('ann@example.org')
  const next = 'another long password'
  const change = (current: string, to: string) => here.send('POST', '/api/web/password', { current, next: to })
  expect(await change('not it at all', next)).toMatchObject({
    status: 400,
    body: { error: { code: 'password_wrong' } },
  })
  expect(await change(password, 'short')).toMatchObject({ status: 400, body: { error: { code: 'password_invalid' } } })
  expect((await there.get('/api/web/me')).status).toBe(200)
  expect((await change(password, next)).status).toBe(200)
  expect((await there.get('/api/web/me')).status).toBe(401)
  expect((await here.get('/api/web/me')).status).toBe(200)
  const attempt = async (secret: string) =>
    (await service.browser().send('POST', '/api/auth/sign-in/email', { email: 'ann@example.org', password: secret }))
      .status
  expect([await attempt(password), await attempt(next)]).toEqual([401, 200])
})

test("the operator's reset ends every session and voids sign-in links", async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const token = value(
    await createLink({ db: service.store.db, by: operator, now: service.now() }, 'sign_in', 'ann@example.org'),
  )
  value(
    await resetPassword(
      { people: service, by: operator, now: service.now() },
      { email: 'ann@example.org', password: 'given by operator' },
    ),
  )
  expect((await ann.get('/api/web/me')).status).toBe(401)
  expect((await service.browser().send('POST', '/api/web/link', { token })).status).toBe(404)
})

test('a sign-in link works once and for fifteen minutes', async () => {
  const service = await serve()
  await service.workspace('north')
  await service.person('Ann', 'north', 'admin')
  const link = async () =>
    value(await createLink({ db: service.store.db, by: operator, now: service.now() }, 'sign_in', 'Ann@example.org'))
  const [good, late] = [await link(), await link()]
  const browser = service.browser()
  expect((await browser.send('POST', '/api/web/link', { token: good })).status).toBe(200)
  expect((await browser.get<Me>('/api/web/me')).body.email).toBe('ann@example.org')
  expect((await service.browser().send('POST', '/api/web/link', { token: good })).status).toBe(404)
  service.pass(15 * 60)
  expect((await service.browser().send('POST', '/api/web/link', { token: late })).status).toBe(404)
  expect(
    await createLink({ db: service.store.db, by: operator, now: 1 }, 'sign_in', 'nobody@example.org'),
  ).toMatchObject({
    ok: false,
    code: 'person_unknown',
  })
})

test('no link, password or session is stored in a form that grants access to a reader of the database (I29)', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const token = value(
    await createLink({ db: service.store.db, by: operator, now: service.now() }, 'sign_in', 'ann@example.org'),
  )
  const invited = await ann.send<{ url: string }>('POST', '/api/web/w/north/invitations', {
    email: 'b@example.org',
    role: 'member',
  })
  const stored = []
  for (const table of ['link', 'user', 'account', 'session', 'invitation', 'audit', 'verification']) {
    stored.push(
      ...(await service.store.db
        .selectFrom(table as never)
        .selectAll()
        .execute()),
    )
  }
  const all = JSON.stringify(stored)
  expect(all).not.toContain(token)
  expect(all).not.toContain(password)
  expect(all).not.toContain(decodeURIComponent(ann.cookie).split('=').slice(1).join('='))
  expect(all).not.toContain(invited.body.url.split('/').at(-1))
})

test('a person can change their own name, and it is shown with what they do from then on', async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  expect((await ann.send<Me>('PATCH', '/api/web/me', { name: ' Anna ' })).body.name).toBe('Anna')
  expect((await ann.send('PATCH', '/api/web/me', { name: 'a\nb' })).status).toBe(400)
  await ann.send('POST', '/api/web/w/north/agents', { name: 'mail' })
  expect((await ann.get('/api/web/w/north/activity')).body).toMatchObject([
    { actor: 'Anna', action: 'agent.created' },
    {},
    {},
    {},
  ])
})

test('cookies are HttpOnly and Lax, and behind https Secure with the __Host- prefix', async () => {
  for (const https of [false, true]) {
    const service = await serve({ https })
    await service.workspace('north')
    const token = value(await createLink({ db: service.store.db, by: operator, now: service.now() }, 'first', null))
    const origin = service.baseUrl
    const answer = await service.browser().send('POST', '/api/web/start', { ...ann, slug: 'south', token }, { origin })
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).toMatch(https ? /^__Host-svc\.session=/ : /^svc\.session\.\d+=/)
    expect(cookie).toMatch(/; Path=\/; HttpOnly;( Secure;)? SameSite=Lax$/)
    expect(cookie.includes('Secure')).toBe(https)
    expect(cookie).not.toContain('Domain')
    expect(answer.headers.has('strict-transport-security')).toBe(https)
  }
})

test("an operator's link hands an account that somebody else made to the owner of its address", async () => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const stranger = await service.person('Owner', 'north', 'member')
  expect((await stranger.get<Me>('/api/web/me')).body.emailConfirmed).toBe(false)
  const link = (purpose: 'claim' | 'sign_in') =>
    createLink({ db: service.store.db, by: operator, now: service.now() }, purpose, 'owner@example.org')
  const [token, signIn] = [value(await link('claim')), value(await link('sign_in'))]

  const owner = service.browser()
  expect((await owner.get(`/api/web/claim?token=${token}`)).body).toEqual({
    email: 'owner@example.org',
    name: 'Owner',
    forgot: false,
  })
  const next = 'only the owner knows'
  const claim = (secret: string) => owner.send('POST', '/api/web/claim', { token, name: ' Olga ', password: secret })
  expect(await claim('1234567890')).toMatchObject({ status: 400, body: { error: { code: 'password_invalid' } } })
  expect((await claim(next)).status).toBe(200)
  expect((await owner.get<Me>('/api/web/me')).body).toMatchObject({
    name: 'Olga',
    emailConfirmed: true,
    workspaces: [{ slug: 'north', role: 'member' }],
  })
  const { members } = (await ann.get<Members>('/api/web/w/north/members')).body
  expect(members.map(({ name, emailConfirmed }) => [name, emailConfirmed])).toEqual([
    ['Ann', false],
    ['Olga', true],
  ])
  // The session, the password and the links of the stranger no longer work.
  expect((await stranger.get('/api/web/me')).status).toBe(401)
  expect((await service.browser().send('POST', '/api/web/link', { token: signIn })).status).toBe(404)
  const attempt = async (secret: string) =>
    (await service.browser().send('POST', '/api/auth/sign-in/email', { email: 'owner@example.org', password: secret }))
      .status
  expect([await attempt(password), await attempt(next)]).toEqual([401, 200])
  expect((await claim(next)).status).toBe(404)
  expect(await link('claim')).toMatchObject({ ok: false, code: 'email_confirmed' })
})
