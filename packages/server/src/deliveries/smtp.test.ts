import type { SMTPServerOptions } from 'smtp-server'
import { expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { headerOf, mailbox } from '../../../../testing/mailbox.ts'
import { mailOf } from './channels/mail.ts'
import { readSmtpUrl, sendMail } from './smtp.ts'

const baseUrl = 'https://svc.example.org'
const title = 'mail-triage has been offline for 10 minutes'
const text = { title, lines: ['Café north.'], url: `${baseUrl}/w/north`, level: 'bad' } as const
const mail = mailOf({ id: 'd1', text, baseUrl, settingsUrl: `${baseUrl}/w/north/alerts` })
const to = 'ops@example.org'
const sent = (smtpUrl: string, more: Parameters<typeof sendMail>[3] = {}) =>
  sendMail({ smtpUrl, mailFrom: 'North <svc@example.org>' }, to, mail, more)

test('a mail arrives encrypted where the server offers it, with its headers and as text and HTML', async () => {
  const { url, mails } = await mailbox()
  expect(await sent(url)).toEqual({ is: 'status', status: 250, retryAfter: undefined, message: 'kept' })
  const [got] = mails
  expect(got).toMatchObject({ from: 'svc@example.org', to: [to], encrypted: true })
  const headers = ['From', 'To', 'Subject', 'Message-ID', 'Auto-Submitted', 'List-Unsubscribe']
  expect(headers.map((name) => got && headerOf(got, name))).toEqual([
    'North <svc@example.org>',
    to,
    title,
    '<d1@svc.example.org>',
    'auto-generated',
    `<${baseUrl}/w/north/alerts>`,
  ])
  expect(got?.source).toMatch(/Content-Type: text\/plain[\s\S]*Content-Type: text\/html/)
})

test('a server without encryption on this machine is used, also with a password', async () => {
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) =>
    done(null, { user: `${username} ${password}` })
  const options = { disabledCommands: ['STARTTLS'], allowInsecureAuth: true, onAuth }
  const { port, mails } = await mailbox({ options })
  await sent(`smtp://svc:p%40ss@127.0.0.1:${port}`)
  expect(mails).toMatchObject([{ encrypted: false, user: 'svc p@ss' }])
})

test('smtps is encrypted from the first byte', async () => {
  const { securely, mails } = await mailbox({ options: { secure: true } })
  expect(await sent(securely)).toMatchObject({ is: 'status', status: 250 })
  expect(mails).toMatchObject([{ encrypted: true }])
})

test('a password is not sent unencrypted to another machine', async () => {
  const { port, mails } = await mailbox({ options: { disabledCommands: ['STARTTLS'], allowInsecureAuth: true } })
  // The host is 127.0.0.1 written as one number. It leads to this machine, but does not look like an address of this
  // machine.
  const answer = await sent(`smtp://svc:sesame@2130706433:${port}`)
  expect(answer).toMatchObject({ is: 'unreachable', message: expect.stringContaining('STARTTLS') })
  expect(JSON.stringify(answer)).not.toContain('sesame')
  expect(mails).toEqual([])
})

test('a certificate that nobody signed is refused, except on this machine', async () => {
  const { port, mails } = await mailbox()
  expect(await sent(`smtp://2130706433:${port}`)).toMatchObject({
    is: 'unreachable',
    message: expect.stringContaining('certificate'),
  })
  expect(mails).toEqual([])
})

test.each([
  [450, 'try later'],
  [552, 'the mailbox is full'],
])('the reply %i after the data is the answer', async (code, message) => {
  const { url } = await mailbox({ replies: [{ code, message }] })
  expect(await sent(url)).toMatchObject({ is: 'status', status: code, message })
})

test('a recipient that the server refuses is an answer, and nothing is sent', async () => {
  const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
    done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
  const { url, mails } = await mailbox({ options: { onRcptTo } })
  expect(await sent(url)).toMatchObject({ is: 'status', status: 550, message: 'no such mailbox' })
  expect(mails).toEqual([])
})

test('a server that does not answer is given up at the deadline', async () => {
  const { url } = await mailbox({ replies: ['hang'] })
  expect(await sent(url, { withinMs: 300 })).toEqual({ is: 'unreachable', message: 'No answer within 0.3 s.' })
})

test('a server that does not answer is given up at the end of the service', async () => {
  const { url, mails } = await mailbox({ replies: ['hang'] })
  const ending = new AbortController()
  const sending = sent(url, { stop: ending.signal })
  await eventually('the server has the mail', () => expect(mails).toHaveLength(1))
  ending.abort()
  expect((await sending).is).toBe('stopped')
})

test('a connection that breaks after the data is tried again', async () => {
  const { url } = await mailbox({ replies: ['reset'] })
  expect((await sent(url)).is).toBe('unreachable')
})

test('a mail server that does not exist is reported as unreachable', async () => {
  expect((await sent('smtp://127.0.0.1:1')).is).toBe('unreachable')
})

test.each([
  'http://mail.example.org',
  'mail.example.org:25',
  'smtp://',
  'smtp://user@mail.example.org',
  'smtp://:password@mail.example.org',
  'smtp://mail.example.org/path',
  'smtp://mail.example.org?ignoreTLS=true',
  'smtp://us%zzer:password@mail.example.org',
])('%s is no address of a mail server', (url) => {
  expect(readSmtpUrl(url)).toBeUndefined()
})

test.each([
  ['ops@example.org', 'ops@example.org'],
  ['jürgen@example.org', 'jürgen@example.org'],
  ['bob@example.org\u200b', 'bob@example.org'],
  ['bob@exämple.org', 'bob@exämple.org'],
  ['b\u0007ob@example.org', undefined],
  ['b\u0000ob@example.org', undefined],
  ['bob@1.2', undefined],
  ['bob@ex%41mple.org', undefined],
  ['bob@example。org', undefined],
  ['ann@example.org,bob@example.org', undefined],
  ['ann@evil.example@example.org', undefined],
  ['Bob <bob@example.org>', undefined],
  ['"b ob"@example.org', undefined],
  ['bob@[127.0.0.1]', undefined],
  ['bob', undefined],
])('a mail to %j reaches %j', async (stored, reached) => {
  const { url, mails } = await mailbox({ options: { disabledCommands: ['STARTTLS'] } })
  const answer = await sendMail({ smtpUrl: url, mailFrom: 'svc@example.org' }, stored, mail)
  expect(mails.flatMap((got) => got.to)).toEqual(reached === undefined ? [] : [reached])
  expect(answer.is).toBe(reached === undefined ? 'refused' : 'status')
})
