import type { ClaimInfo } from '@svc/api'
import { expect, test } from 'vitest'
import { headerOf, mailbox, readable } from '../../../../scripts/testing/mailbox.ts'
import { type Given, password, serve } from '../../testing/page/service.ts'
import { newMailer } from './mailer.ts'

const email = 'ann@example.org'

/** Starts a service with a mail server, with the workspace north and Ann, one of its admins. */
async function served(replies?: NonNullable<Parameters<typeof mailbox>[0]>['replies'], given: Given = {}) {
  const box = await mailbox(replies ? { replies } : {})
  const service = await serve({ smtpUrl: box.url, ...given })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const mailer = newMailer({ ...service, config: { ...service.config } })
  const waiting = () => service.store.db.selectFrom('account_mail').selectAll().execute()
  const forgot = (address: string) =>
    service.browser().send<{ mails: boolean }>('POST', '/api/web/forgot', { email: address })
  return { box, service, ann, mailer, waiting, forgot }
}
const tokenOf = (link: string) => new URL(link, 'http://x').searchParams.get('token') ?? ''
const linkIn = (source: string) => /\/(?:invitation|claim)[^\s<>"]+/.exec(source)?.[0] ?? ''

test('who forgot their password is mailed a link that sets a new one, once, and ends the other sessions', async () => {
  const { box, service, ann, mailer, waiting, forgot } = await served()
  expect((await forgot(` ${email.toUpperCase()} `)).body).toEqual({ mails: true })
  expect(box.mails).toEqual([])
  await mailer.send()
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

test('the answer does not tell whether an address has an account, and an unknown one gets no mail', async () => {
  const { box, mailer, waiting, forgot } = await served()
  const [known, unknown] = [await forgot(email), await forgot('nobody@example.org')]
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  // For both addresses a mail is queued. No account was looked up before the answer, so the answer took as long for the
  // address without an account as for the other one.
  expect(await waiting()).toHaveLength(2)
  await mailer.send()
  expect(box.mails.map(({ to }) => to)).toEqual([[email]])
  expect(await waiting()).toEqual([])
})

test('the third mail to an address within an hour is the last, and the answer stays the same', async () => {
  const { waiting, forgot } = await served()
  const answers = []
  for (let i = 0; i < 5; i++) answers.push((await forgot(email)).text)
  expect(new Set(answers).size).toBe(1)
  expect(await waiting()).toHaveLength(3)
  for (let i = 0; i < 5; i++) await forgot(`other-${i}@example.org`)
  expect((await forgot('one-more@example.org')).status).toBe(429)
  expect(await waiting()).toHaveLength(8)
})

test('a mail that the server does not take yet is tried again, and its newest link is the one that works', async () => {
  const { box, service, mailer, forgot } = await served([{ code: 450, message: 'later' }, 'ok'])
  await forgot(email)
  await mailer.send()
  service.pass(10)
  await mailer.send()
  const ids = box.mails.map((mail) => headerOf(mail, 'Message-ID'))
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1])
  const [first, second] = box.mails.map(({ source }) => tokenOf(linkIn(readable(source))))
  expect((await service.browser().get(`/api/web/claim?token=${first}`)).status).toBe(404)
  expect((await service.browser().get(`/api/web/claim?token=${second}`)).status).toBe(200)
})

test('no link and no token of a mail is in the database', async () => {
  const { box, service, mailer, waiting, forgot } = await served()
  await forgot(email)
  expect(JSON.stringify(await waiting())).not.toContain('token')
  await mailer.send()
  const token = tokenOf(linkIn(readable(box.mails[0]?.source)))
  expect(token).toHaveLength(43)
  const links = await service.store.db.selectFrom('link').selectAll().execute()
  expect(JSON.stringify(links)).not.toContain(token)
})

test('an invitation is mailed where that is asked for, its link stays available, and a withdrawn one is not sent', async () => {
  const { box, ann, mailer } = await served()
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
  await mailer.send()
  expect(box.mails.map(({ to }) => to)).toEqual([['bob@example.org']])
  expect(bob.url).toContain(linkIn(readable(box.mails[0]?.source)))
})

test('a sign-in from a new browser is mailed, one from a known browser is not', async () => {
  const { box, service, ann, mailer, waiting } = await served()
  expect(await waiting()).toEqual([])
  const signIn = (browser: typeof ann) => browser.send('POST', '/api/auth/sign-in/email', { email, password })
  expect((await signIn(service.browser())).status).toBe(200)
  await mailer.send()
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
