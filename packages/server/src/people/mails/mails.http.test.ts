import type { ClaimInfo } from '@svc/api'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { headerOf, mailbox, readable } from '../../../../../testing/mailbox.ts'
import { password, type ServeOptions, serve } from '../../../testing/page/service.ts'
import { createSourceDispatcher } from '../../deliveries/dispatcher.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { queueMail } from './queue.ts'
import { accountMails } from './sending/mailer.ts'

const email = 'ann@example.org'

/** Starts a service with a mail server, with the workspace north and Ann, one of its admins. */
async function served(replies?: NonNullable<Parameters<typeof mailbox>[0]>['replies'], given: ServeOptions = {}) {
  const box = await mailbox(replies ? { replies } : {})
  const service = await serve({ smtpUrl: box.url, ...given })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  // Deletes the mail that tells Ann that she is an admin.
  await service.store.db.deleteFrom('account_mail').execute()
  const key = sealKeyOf('a secret of at least thirty-two characters')
  const mailer = createSourceDispatcher([accountMails({ ...service, config: { ...service.config }, key })], service)
  const waiting = () => service.store.db.selectFrom('account_mail').selectAll().execute()
  /** Waits until this many mails are queued, since a request for a new password is looked up after its answer. */
  const queued = (count: number) =>
    eventually(`${count} mails are queued`, async () => {
      const rows = await waiting()
      expect(rows).toHaveLength(count)
      return rows
    })
  const forgot = (address: string) =>
    service.browser().send<{ mails: boolean }>('POST', '/api/web/forgot', { email: address })
  return { box, service, ann, mailer, waiting, queued, forgot }
}
const tokenOf = (link: string) => new URL(link, 'http://x').searchParams.get('token') ?? ''
const linkIn = (source: string) => /\/(?:invitation|claim)[^\s<>"]+/.exec(source)?.[0] ?? ''

test('who forgot their password is mailed a link that sets a new one, once, and ends the other sessions', async () => {
  const { box, service, ann, mailer, waiting, queued, forgot } = await served()
  expect((await forgot(` ${email.toUpperCase()} `)).body).toEqual({ mails: true })
  expect(box.mails).toEqual([])
  await queued(1)
  await mailer.dispatch()
  expect(await waiting()).toEqual([])
  const [mail] = box.mails
  expect(mail?.to).toEqual([email])
  expect(mail && headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
  const token = tokenOf(linkIn(readable(mail?.source)))
  const browser = service.browser()
  expect((await browser.get<ClaimInfo>(`/api/web/claim?token=${token}`)).body).toEqual({
    email,
    name: 'Ann',
    forgot: true,
  })
  const next = 'another good long password'
  expect((await browser.send('POST', '/api/web/claim', { token, name: 'Ann', password: next })).status).toBe(200)
  expect((await browser.get('/api/web/me')).body).toMatchObject({ email, emailConfirmed: true, mails: true })
  expect((await ann.get('/api/web/me')).status).toBe(401)
  expect((await browser.send('POST', '/api/web/claim', { token, name: 'Ann', password })).status).toBe(404)
})

test('the answer does not tell whether an address has an account, and nothing is queued for an unknown one', async () => {
  const { box, mailer, queued, forgot } = await served()
  const [unknown, known] = [await forgot('nobody@example.org'), await forgot(email)]
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  // The account is looked up after the answer, one request after the other.
  expect(await queued(1)).toMatchObject([{ topic: expect.stringContaining(email) }])
  await mailer.dispatch()
  expect(box.mails.map(({ to }) => to)).toEqual([[email]])
})

test.each(['bob..x@example.org', 'bob@example.org\u200b', 'ju\u0308rgen@example.org', 'bob'])(
  'the answer about %j, as an earlier version stored it, does not tell whether it has an account, which is mailed',
  async (stored) => {
    const { service, queued, forgot } = await served()
    const unknown = await forgot(stored)
    await service.store.db.updateTable('user').set({ email: stored }).execute()
    const known = await forgot(stored)
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    expect(await queued(1)).toMatchObject([{ topic: JSON.stringify({ kind: 'forgot', email: stored }) }])
    for (let i = 0; i < 8; i++) await forgot(`other-${i}@example.org`)
    expect((await forgot(stored)).status).toBe(429)
    expect((await forgot('bob..y@example.org')).status).toBe(429)
  },
)

test('the third mail to an address within an hour is the last, and the answer stays the same', async () => {
  const { queued, forgot } = await served()
  const answers = []
  for (let i = 0; i < 5; i++) answers.push((await forgot(email)).text)
  expect(new Set(answers).size).toBe(1)
  await queued(3)
  for (let i = 0; i < 5; i++) await forgot(`other-${i}@example.org`)
  expect((await forgot('one-more@example.org')).status).toBe(429)
})

test('all tries of a mail have one link, which works as soon as any of them arrives', async () => {
  const { box, service, mailer, queued, forgot } = await served([{ code: 450, message: 'later' }, 'reset', 'ok'])
  await forgot(email)
  await queued(1)
  for (const seconds of [0, 10, 60]) {
    service.pass(seconds)
    await mailer.dispatch()
  }
  const ids = box.mails.map((mail) => headerOf(mail, 'Message-ID'))
  const links = box.mails.map(({ source }) => linkIn(readable(source)))
  expect([ids.length, new Set(ids).size, new Set(links).size]).toEqual([3, 1, 1])
  expect((await service.browser().get(`/api/web/claim?token=${tokenOf(links[0] ?? '')}`)).status).toBe(200)
})

test('a second request leaves the link of the first one good, and the use of one link ends them all', async () => {
  const { box, service, mailer, queued, waiting, forgot } = await served()
  for (let i = 0; i < 2; i++) {
    await forgot(email)
    await queued(1)
    await mailer.dispatch()
    service.pass(60)
  }
  // A third mail waits when the password is changed, so it is not needed any longer.
  await forgot(email)
  await queued(1)
  const [first = '', second = ''] = box.mails.map(({ source }) => tokenOf(linkIn(readable(source))))
  expect(first).not.toBe(second)
  const use = (token: string) =>
    service.browser().send('POST', '/api/web/claim', { token, name: 'Ann', password: 'another good long password' })
  expect([(await use(first)).status, (await use(second)).status]).toEqual([200, 404])
  // One receiver gets one mail at a time.
  for (let i = 0; i < 3; i++) await mailer.dispatch()
  const subjects = box.mails.map((mail) => headerOf(mail, 'Subject'))
  expect(subjects.filter((subject) => subject === 'Choose a new password')).toHaveLength(2)
  expect(await waiting()).toEqual([])
})

test('mails that strangers cause take at most four places of a domain, and those of people have their own', async () => {
  const { box, service, ann, mailer, queued, forgot } = await served()
  for (const [i, name] of ['Bob', 'Cy', 'Dan', 'Eve', 'Flo'].entries()) {
    await service.person(name, 'north', 'member')
    await forgot(`${name.toLowerCase()}@example.org`)
    await queued(i + 1)
  }
  const invitation = { email: 'gus@example.org', role: 'member', mail: true }
  await ann.send('POST', '/api/web/w/north/invitations', invitation)
  await mailer.dispatch()
  const sent = box.mails.flatMap(({ to }) => to)
  expect(sent).toContain('gus@example.org')
  expect(sent).toHaveLength(1 + 4)
})

test.each<[string, object, string]>([
  ['cannot be read', { topic: '{' }, 'does not know this kind of mail'],
  ['is of a kind that this version does not know', { topic: '{"kind":"digest"}' }, 'does not know this kind of mail'],
])(
  'a mail whose topic %s backs off, stops no other, and is given up with a line in the log',
  async (_what, columns, reason) => {
    const { box, service, mailer, queued, waiting, forgot } = await served()
    await queueMail(service.store.db, { kind: 'forgot', email: 'x@example.org' }, service.now())
    await service.store.db.updateTable('account_mail').set(columns).execute()
    await forgot(email)
    await queued(2)
    await mailer.dispatch()
    expect(box.mails.map(({ to }) => to)).toEqual([[email]])
    expect(await waiting()).toMatchObject([{ tries: 1, leased_until: 0 }])
    await service.store.db.updateTable('account_mail').set({ tries: 9, due_at: 0 }).execute()
    await mailer.dispatch()
    expect(await waiting()).toEqual([])
    expect(service.lines.join('\n')).toContain(reason)
  },
)

test.each([
  ['forgot', 3601],
  ['new_device', 86_401],
] as const)('a mail of the kind %s that waited during an outage is not sent afterwards', async (kind, seconds) => {
  const { box, service, mailer, waiting } = await served()
  const person = await service.store.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  const topics = {
    forgot: { kind: 'forgot', email },
    new_device: { kind: 'new_device', person: person.id, address: '127.0.0.1', userAgent: '' },
  } as const
  await queueMail(service.store.db, topics[kind], service.now())
  service.pass(seconds)
  await mailer.dispatch()
  expect([box.mails, await waiting()]).toEqual([[], []])
  expect(service.lines.join('\n')).toContain('too old')
})

test('the queue of each kind is bounded, and a full one does not affect the others', async () => {
  const { service } = await served()
  const { db } = service.store
  const rows = Array.from({ length: 1000 }, (_, i) => ({
    id: `${i}`,
    topic: '{"kind":"forgot","email":"x@example.org"}',
    ...{ tries: 0, created_at: 0, due_at: 0, leased_until: 0 },
  }))
  await db.insertInto('account_mail').values(rows).execute()
  expect(await queueMail(db, { kind: 'forgot', email }, 1)).toBe(false)
  expect(await queueMail(db, { kind: 'invitation', invitation: 'i' }, 1)).toBe(true)
})

test('no link and no token of a mail is in the database', async () => {
  const { box, service, mailer, queued, forgot } = await served()
  await forgot(email)
  expect(JSON.stringify(await queued(1))).not.toContain('token')
  await mailer.dispatch()
  const token = tokenOf(linkIn(readable(box.mails[0]?.source)))
  expect(token).toHaveLength(43)
  const links = await service.store.db.selectFrom('link').selectAll().execute()
  expect(JSON.stringify(links)).not.toContain(token)
})

test('an invitation is mailed where that is asked for, its link stays available, and one that is over is not sent', async () => {
  const { box, service, ann, mailer, waiting } = await served()
  const invite = async (to: string, mail: boolean) =>
    (
      await ann.send<{ id: string; url: string; mailed: boolean }>('POST', '/api/web/w/north/invitations', {
        email: to,
        role: 'member',
        mail,
      })
    ).body
  const bob = await invite('bob@example.org', true)
  expect(bob).toMatchObject({ mailed: true, url: expect.stringContaining('/invitation/') })
  expect(await invite('cy@example.org', false)).toMatchObject({ mailed: false })
  const dan = await invite('dan@example.org', true)
  await ann.send('DELETE', `/api/web/w/north/invitations/${dan.id}`)
  const eve = await invite('eve@example.org', true)
  const route = `/api/web/invitations/${eve.url.split('/').at(-1)}`
  expect((await service.browser().send('POST', route, { name: 'Eve', password })).status).toBe(200)
  expect(await waiting()).toHaveLength(3)
  // One receiver gets one mail at a time.
  for (let i = 0; i < 3; i++) await mailer.dispatch()
  expect(await waiting()).toEqual([])
  expect(box.mails.map(({ to }) => to)).toEqual([['bob@example.org']])
  expect(bob.url).toContain(linkIn(readable(box.mails[0]?.source)))
})

test('a sign-in from a new browser is mailed, one from a known browser is not', async () => {
  const { box, service, ann, mailer, waiting } = await served()
  expect(await waiting()).toEqual([])
  const signIn = (browser: typeof ann) => browser.send('POST', '/api/auth/sign-in/email', { email, password })
  expect((await signIn(service.browser())).status).toBe(200)
  await mailer.dispatch()
  expect(box.mails.map(({ to }) => to)).toEqual([[email]])
  expect(readable(box.mails[0]?.source)).toContain('127.0.0.1')
  await signIn(ann)
  expect(await waiting()).toEqual([])
})

test('without a mail server nothing is queued, and the answers say so', async () => {
  const { ann, waiting, forgot, service } = await served(undefined, { smtpUrl: undefined as never })
  expect((await forgot(email)).body).toEqual({ mails: false })
  const wanted = { email: 'bob@example.org', role: 'member', mail: true }
  expect((await ann.send('POST', '/api/web/w/north/invitations', wanted)).body).toMatchObject({ mailed: false })
  await service.browser().send('POST', '/api/auth/sign-in/email', { email, password })
  expect((await ann.get('/api/web/me')).body).toMatchObject({ mails: false })
  expect(await waiting()).toEqual([])
})
