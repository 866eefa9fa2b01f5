/** Tests what the operator does with people, over every way to get a session, on both engines. */
import type { ClaimInfo, Members } from '@svc/api'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { headerOf, mailbox } from '../../../../../testing/mailbox.ts'
import { operator, password, type Service, serve, value } from '../../../testing/page/service.ts'
import { streamOf } from '../../../testing/page/stream.ts'
import { newServiceHome } from '../../../testing/service-process.ts'
import { bothEngines, newPostgresDatabase } from '../../../testing/stores.ts'
import { createSourceDispatcher } from '../../deliveries/dispatcher.ts'
import { openPostgres, type Store } from '../../platform/db/open.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { createLink, insertLink } from '../accounts/links.ts'
import { findPerson } from '../accounts/store.ts'
import { accountMails } from '../mails/sending/mailer.ts'
import { deletePerson, disablePerson, enablePerson, setOperator } from './people.ts'

const bobs = 'bob@example.org'
const newPassword = 'another good long password'
const signIn = '/api/auth/sign-in/email'

/** Serves the workspace north with Ann as its admin and Bob as another one, and a mailbox. */
async function newSetup(postgres: Store) {
  const box = await mailbox()
  const service = await serve({ postgres, smtpUrl: box.url })
  await service.workspace('north')
  const [ann, bob] = [await service.person('Ann', 'north', 'admin'), await service.person('Bob', 'north', 'admin')]
  const ctx = () => ({ people: service, by: operator, now: service.now() })
  const key = sealKeyOf('a secret of at least thirty-two characters')
  const mailer = createSourceDispatcher([accountMails({ ...service, key })], service)
  const mailed = async () => {
    // One receiver gets one mail at a time.
    for (let i = 0; i < 3; i++) await mailer.dispatch()
    return box.mails.splice(0).map((mail) => `${mail.to}: ${headerOf(mail, 'Subject')}`)
  }
  await mailed()
  const lines = async () =>
    (await service.store.db.selectFrom('audit').select(['action', 'subject', 'workspace_id']).orderBy('id').execute())
      .filter(({ subject }) => subject === `person ${bobs}`)
      .map(({ action, workspace_id }) => `${action}${workspace_id === null ? '' : ' in a workspace'}`)
  return { box, service, ann, bob, ctx, mailed, lines, mailer }
}

/** A link to Bob's account that exists although he is disabled, as a node of an earlier version may make one. */
async function strayLink(service: Service, purpose: 'sign_in' | 'claim' | 'forgot') {
  const token = `${purpose} of an earlier version`.padEnd(43, '.')
  const person = (await findPerson(service.store.db, bobs)) ?? null
  await insertLink({ db: service.store.db, by: operator, now: service.now() }, { purpose, person, token })
  return token
}

const ways: [string, number, (service: Service) => Promise<{ status: number }>][] = [
  ['the right password', 403, (s) => s.browser().send('POST', signIn, { email: bobs, password })],
  ['a wrong password', 401, (s) => s.browser().send('POST', signIn, { email: bobs, password: newPassword })],
  ['a link', 403, async (s) => s.browser().send('POST', '/api/web/link', { token: await strayLink(s, 'sign_in') })],
  ...(['claim', 'forgot'] as const).map((purpose): (typeof ways)[number] => [
    `a link to ${purpose}`,
    404,
    async (s) => {
      const body = { token: await strayLink(s, purpose), name: 'Bob', password: newPassword }
      return s.browser().send('POST', '/api/web/claim', body)
    },
  ]),
]

describe.each(bothEngines)('a disabled person, on %s,', (_engine, open) => {
  test('is signed out everywhere, has no way in, and has everything back when enabled', async () => {
    const { service, bob, ctx, mailed, lines } = await newSetup(await open())
    const stream = await streamOf(`${service.origin}/api/web/w/north/events`, bob.cookie)
    const link = value(await createLink({ db: service.store.db, by: operator, now: service.now() }, 'sign_in', bobs))
    expect(value(await disablePerson(ctx(), bobs))).toMatchObject({ email: bobs, withoutAdmin: [] })
    await service.live.rightsChanged()
    await stream.ended
    expect(await mailed()).toEqual([`${bobs}: Your account was disabled`])
    expect((await bob.get('/api/web/me')).status).toBe(401)
    expect((await bob.get('/api/web/w/north')).status).toBe(401)
    expect((await service.browser().send('POST', '/api/web/link', { token: link })).status).toBe(404)
    for (const [way, status, attempt] of ways) expect([way, (await attempt(service)).status]).toEqual([way, status])
    expect(await createLink({ db: service.store.db, by: operator, now: 1 }, 'sign_in', bobs)).toMatchObject({
      ok: false,
      code: 'account_disabled',
    })
    expect(
      await service.store.db.selectFrom('session').innerJoin('user', 'user.id', 'userId').select('email').execute(),
    ).toEqual([{ email: 'ann@example.org' }])
    value(await disablePerson(ctx(), bobs))
    expect((await lines()).filter((line) => line === 'person.disabled')).toHaveLength(1)

    value(await enablePerson(ctx(), bobs))
    expect((await lines()).slice(-1)).toEqual(['person.enabled'])
    const again = service.browser()
    expect((await again.send('POST', signIn, { email: bobs, password })).status).toBe(200)
    expect((await again.get<Members>('/api/web/w/north/members')).status).toBe(200)
  })

  test('has no right in a session that a node of the version before made, also after being enabled', async () => {
    const { service, bob, ctx } = await newSetup(await open())
    const { db } = service.store
    const sessions = db.selectFrom('session').innerJoin('user', 'user.id', 'userId').where('email', '=', bobs)
    const row = await sessions.selectAll('session').executeTakeFirstOrThrow()
    value(await disablePerson(ctx(), bobs))
    await db.insertInto('session').values(row).execute()
    for (const path of ['/me', '/w/north', '/sessions'])
      expect([path, (await bob.get(`/api/web${path}`)).status]).toEqual([path, 401])
    expect((await bob.get('/api/web/door')).body).toMatchObject({ me: null })
    expect((await bob.send('PATCH', '/api/web/me', { name: 'Bo' })).status).toBe(401)
    value(await enablePerson(ctx(), bobs))
    expect((await bob.get('/api/web/me')).status).toBe(401)
  })

  test('gets no mail about a forgotten password, and the answer is the same', async () => {
    const { service, ctx, mailed } = await newSetup(await open())
    value(await disablePerson(ctx(), bobs))
    await mailed()
    const forgot = (email: string) => service.browser().send('POST', '/api/web/forgot', { email })
    const [unknown, known] = [await forgot('nobody@example.org'), await forgot(bobs)]
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    await eventually('the mail is queued', async () =>
      expect(await service.store.db.selectFrom('account_mail').select('id').execute()).toHaveLength(1),
    )
    expect(await mailed()).toEqual([])
    expect(await service.store.db.selectFrom('link').select('hash').where('purpose', '=', 'forgot').execute()).toEqual(
      [],
    )
  })

  test('invites nobody, and counts neither as the last admin nor instead of one', async () => {
    const { service, ann, bob, ctx } = await newSetup(await open())
    const members = async () => (await ann.get<Members>('/api/web/w/north/members')).body
    const idOf = async (name: string) => (await members()).members.find((one) => one.name === name)?.id
    const invited = await bob.send<{ url: string }>('POST', '/api/web/w/north/invitations', {
      email: 'cy@example.org',
      role: 'member',
    })
    const path = `/api/web/invitations/${invited.body.url.split('/').at(-1)}`
    expect((await service.browser().get<ClaimInfo>(path)).status).toBe(200)
    value(await disablePerson(ctx(), bobs))
    expect((await service.browser().get(path)).status).toBe(404)
    expect((await members()).invitations).toMatchObject([{ void: true }])
    const leaves = async () => ann.send('DELETE', `/api/web/w/north/members/${await idOf('Ann')}`)
    expect((await leaves()).body).toMatchObject({ error: { code: 'last_admin' } })
    expect(value(await disablePerson(ctx(), 'ann@example.org')).withoutAdmin).toEqual(['north'])
    value(await enablePerson(ctx(), bobs))
    expect((await service.browser().get(path)).status).toBe(200)
  })

  test('an account is deleted with its memberships and channels; the activity keeps the name', async () => {
    const { service, ann, bob, ctx, lines } = await newSetup(await open())
    const channel = { name: 'mine', kind: 'email', zone: 'UTC' }
    expect((await bob.send('POST', '/api/web/w/north/my-channels', channel)).status).toBe(201)
    await ann.send('PATCH', '/api/web/me', { name: 'Ann Alone' })
    value(await deletePerson(ctx(), 'ann@example.org'))
    expect((await ann.get('/api/web/me')).status).toBe(401)
    expect(value(await deletePerson(ctx(), bobs))).toMatchObject({ email: bobs, withoutAdmin: ['north'] })
    expect(await lines()).toEqual(expect.arrayContaining(['member.removed in a workspace', 'person.deleted']))
    for (const table of ['user', 'account', 'session', 'member', 'alert_channel', 'sign_in', 'invitation'] as const)
      expect([table, await service.store.db.selectFrom(table).selectAll().execute()]).toEqual([table, []])
    const actors = await service.store.db.selectFrom('audit').select('actor').execute()
    expect(actors).toContainEqual({ actor: 'Ann Alone' })
    expect(await deletePerson(ctx(), bobs)).toMatchObject({ ok: false, code: 'person_unknown' })
  })

  test('who is made an operator or an admin is told by mail, unless that was undone before', async () => {
    const { service, ann, ctx, mailed, lines } = await newSetup(await open())
    value(await setOperator(ctx(), bobs, true))
    value(await setOperator(ctx(), bobs, true))
    expect(await mailed()).toEqual([`${bobs}: You are now an operator`])
    value(await setOperator(ctx(), bobs, false))
    value(await setOperator(ctx(), bobs, true))
    value(await setOperator(ctx(), bobs, false))
    expect(await mailed()).toEqual([])
    expect((await lines()).slice(-4)).toEqual(
      ['made', 'removed', 'made', 'removed'].map((what) => `person.operator_${what}`),
    )
    await service.person('Cy', 'north', 'member')
    const { members } = (await ann.get<Members>('/api/web/w/north/members')).body
    const cy = members.find(({ name }) => name === 'Cy')?.id
    for (const role of ['admin', 'member', 'admin']) await ann.send('PATCH', `/api/web/w/north/members/${cy}`, { role })
    expect(await mailed()).toEqual(Array(2).fill('cy@example.org: You are now an admin'))
  })
})

test('a person whom the operator disables is out on every node, with the open pages (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const { service: first, bob } = await newSetup(openPostgres(url))
  const second = await serve({ postgres: openPostgres(url) })
  const there = second.browser()
  await there.send('POST', signIn, { email: bobs, password })
  const events = '/api/web/w/north/events'
  const streams = [
    await streamOf(first.origin + events, bob.cookie),
    await streamOf(second.origin + events, there.cookie),
  ]
  const home = await newServiceHome({ SVC_DATABASE_URL: url })
  expect(await home.value(['person', 'disable', bobs])).toMatchObject({ email: bobs, disabled: true })
  for (const browser of [bob, there]) expect((await browser.get('/api/web/me')).status).toBe(401)
  for (const stream of streams) await stream.ended
})
