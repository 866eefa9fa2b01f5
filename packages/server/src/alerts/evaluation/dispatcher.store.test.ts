import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChannelKind } from '@svc/api'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { headerOf, mailbox } from '../../../../../testing/mailbox.ts'
import { pushService } from '../../../testing/push-service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { newSigningSecret } from '../../deliveries/channels/webhook.ts'
import { createDispatcher } from '../../deliveries/dispatcher.ts'
import { sendersOf } from '../../deliveries/senders.ts'
import { enqueueDeliveries, enqueueTest } from '../../deliveries/store.ts'
import { type SealKey, seal, sealKeyOf } from '../../platform/seal.ts'
import type { AlertChange } from '../messages/message.ts'
import { alertWriter } from '../messages/writing.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/**
 * Starts an HTTP server on this machine. `answers` are the statuses of its responses, in order; the last one is used
 * for all further requests.
 */
async function receiver(...answers: (number | 'silence')[]) {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      seen.push({ headers: request.headers, body })
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 200
      if (answer !== 'silence') response.writeHead(answer).end('thanks')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

onBothEngines('what sends deliveries', (open) => {
  const started = async (smtpUrl?: string) => {
    const w = await newTestWorkspace(await open())
    const dispatcher = createDispatcher({
      store: w.store,
      log: pino({ level: 'silent' }),
      now: w.clock.now,
      node: 'a',
      key,
      allowed: ['127.0.0.0/8'],
      senders: sendersOf({ baseUrl: 'https://svc.example.org', smtpUrl, mailFrom: 'svc@example.org' }),
      writer: alertWriter('https://svc.example.org'),
      random: () => 0.5,
    })
    return { w, dispatcher, tell: (id: string) => tell(w, id) }
  }

  test('a signed webhook arrives, with the same id and body on every try', async () => {
    const { w, dispatcher, tell } = await started()
    const { seen, url } = await receiver(500, 200)
    const secret = newSigningSecret()
    const id = await addChannel(w, 'hook', { url, secret })
    await tell(id)
    await dispatcher.dispatch()
    w.clock.pass(5)
    await dispatcher.dispatch()
    await dispatcher.dispatch()
    expect(seen).toHaveLength(2)
    expect(seen[1]?.body).toBe(seen[0]?.body)
    expect(seen[1]?.headers['webhook-id']).toBe(seen[0]?.headers['webhook-id'])
    const [{ headers, body } = { headers: {}, body: '' }] = seen
    vi.useFakeTimers({ toFake: ['Date'], now: w.clock.now() })
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
    vi.useRealTimers()
    expect(JSON.parse(body)).toMatchObject({ type: 'alert.opened', data: { id: 'a1', rule: 'silent' } })
  })

  test('a receiver that never answers delays no other channel', async () => {
    const { w, dispatcher, tell } = await started()
    const [slow, quick] = [await receiver('silence'), await receiver(200)]
    await tell(await addChannel(w, 'slow', { url: slow.url, secret: newSigningSecret() }))
    await tell(await addChannel(w, 'quick', { url: quick.url, secret: newSigningSecret() }))
    const sending = dispatcher.dispatch()
    const states = () => w.store.db.selectFrom('alert_delivery').select(['state', 'tries']).orderBy('id').execute()
    await eventually('both receivers are called, and one has answered', async () => {
      expect([slow.seen.length, quick.seen.length]).toEqual([1, 1])
      expect((await states()).map(({ state }) => state)).toContain('sent')
    })
    await dispatcher.stop()
    await sending
    const rows = await states()
    expect(rows).toEqual([
      { state: 'waiting', tries: 0 },
      { state: 'sent', tries: 1 },
    ])
  })

  test('a channel whose secret cannot be opened is disabled and says why', async () => {
    const { w, dispatcher, tell } = await started()
    const { seen, url } = await receiver(200)
    const id = await addChannel(
      w,
      'hook',
      { url, secret: newSigningSecret() },
      { sealedWith: sealKeyOf('the secret of another data folder, of old') },
    )
    await tell(id)
    await dispatcher.dispatch()
    const channel = await w.store.db.selectFrom('alert_channel').selectAll().executeTakeFirstOrThrow()
    expect(channel.enabled).toBe(0)
    expect(channel.disabled_why).toContain('cannot be opened with the file `secret`')
    expect(seen).toEqual([])
  })

  test('the channel of a browser whose subscription has ended is disabled at once', async () => {
    const { w, dispatcher, tell } = await started()
    const { subscription, seen, close } = await pushService({ answer: 404 })
    closing.push(close)
    const address = { url: subscription.endpoint, secret: JSON.stringify(subscription.keys) }
    await tell(await addChannel(w, 'browser', address, { kind: 'push' }))
    await dispatcher.dispatch()
    const channel = await w.store.db.selectFrom('alert_channel').selectAll().executeTakeFirstOrThrow()
    expect(channel).toMatchObject({ enabled: 0, disabled_why: 'The receiver is gone (404).' })
    expect(seen.map(({ message }) => message.tag)).toEqual(['a1'])
  })

  test('a mail that the server could not accept yet arrives later, once, with the same id', async () => {
    const { url, mails } = await mailbox({ replies: [{ code: 450, message: 'try later' }, 'ok'] })
    const { w, dispatcher, tell } = await started(url)
    await tell(await addChannel(w, 'mail', { to: 'ops@example.org' }, { kind: 'email' }))
    await dispatcher.dispatch()
    w.clock.pass(5)
    await dispatcher.dispatch()
    const row = await w.store.db.selectFrom('alert_delivery').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'sent', tries: 2, last_answer: '250: kept' })
    expect(mails.map((mail) => headerOf(mail, 'Message-ID'))).toEqual(Array(2).fill(`<${row.id}@svc.example.org>`))
    expect(mails[1]).toMatchObject({ to: ['ops@example.org'] })
    expect(mails[1] && headerOf(mails[1], 'List-Unsubscribe')).toBe('<https://svc.example.org/w/north/alerts>')
  })

  test('a receiver that repeats the request, or redirects, does not reveal the secrets of its channel', async () => {
    const { w, dispatcher, tell } = await started()
    const secret = 'a-token-that-nobody-may-see'
    const server = createServer((request, response) => {
      if (request.url?.includes('slack')) response.writeHead(308, { location: `${request.url}/` }).end()
      else response.end(`bad request: ${request.method} ${request.url}`)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    closing.push(() => new Promise((closed) => server.close(closed)))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await tell(await addChannel(w, 'chat', { url, to: 'ops', secret }, { kind: 'telegram' }))
    await tell(await addChannel(w, 'slack', { url: `${url}/slack/${secret}` }, { kind: 'slack' }))
    await dispatcher.dispatch()
    const rows = await w.store.db.selectFrom('alert_channel').select('last_answer').orderBy('name').execute()
    expect(rows.map(({ last_answer }) => last_answer)).toEqual([
      '200: bad request: POST /bot…/sendMessage',
      `308: it redirects to ${url}/…; use that address`,
    ])
  })

  test('without a mail server no mail is sent, and the answer names the setting', async () => {
    const { w, dispatcher, tell } = await started()
    await tell(await addChannel(w, 'mail', { to: 'ops@example.org' }, { kind: 'email' }))
    await dispatcher.dispatch()
    const row = await w.store.db.selectFrom('alert_delivery').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'waiting', last_answer: expect.stringContaining('SVC_SMTP_URL') })
  })

  test('a test message is sent in the same way, and its answer is stored', async () => {
    const { w, dispatcher } = await started()
    const { seen, url } = await receiver(200)
    const channelId = await addChannel(w, 'hook', { url, secret: newSigningSecret() })
    const id = await enqueueTest(w.store.db, { channelId, workspace: 'north' }, w.clock.now())
    await dispatcher.dispatch()
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ type: 'test', data: { workspace: 'north' } })
    const row = await w.store.db.selectFrom('alert_delivery').selectAll().where('id', '=', id).executeTakeFirst()
    expect(row).toMatchObject({ state: 'sent', last_answer: '200: thanks' })
  })
})

async function tell(w: TestWorkspace, channelId: string): Promise<void> {
  const channel = await w.store.db.selectFrom('alert_channel').selectAll().where('id', '=', channelId).execute()
  const change: AlertChange = {
    type: 'alert.opened',
    at: w.clock.now(),
    id: 'a1',
    workspace: 'north',
    rule: 'silent',
    level: 'bad',
    subject: { kind: 'agent', name: 'mail-triage' },
    since: w.clock.now(),
    endedAt: null,
    label: null,
    detail: null,
    agents: null,
    acknowledgedBy: null,
    note: null,
    url: 'https://svc.example.org/w/north/agents/mail-triage',
  }
  await enqueueDeliveries(w.store.db, channel, change, w.clock.now())
}

async function addChannel(
  w: TestWorkspace,
  name: string,
  address: object,
  { kind = 'webhook', sealedWith = key }: { kind?: ChannelKind; sealedWith?: SealKey } = {},
): Promise<string> {
  const id = `channel-${name}`
  await w.store.db
    .insertInto('alert_channel')
    .values({
      id,
      scope: w.workspace.id,
      workspace_id: w.workspace.id,
      person_id: null,
      owner: '',
      name,
      kind,
      format: 'single',
      enabled: 1,
      disabled_why: null,
      shown: '',
      sealed: seal(sealedWith, id, JSON.stringify(address)),
      created_at: w.clock.now(),
      created_by_name: 'Ada',
      last_answer: null,
      last_at: null,
      grouped_at: null,
      failing_since: null,
      dead: 0,
    })
    .execute()
  return id
}
