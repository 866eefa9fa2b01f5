/**
 * Tests each kind of channel, the heartbeat and mails with receivers that misbehave in every known way. `npm test`
 * leaves this out. packages/server/src/deliveries/attempt.test.ts proves the same rules.
 */
import { createECDH, randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { ChannelKind } from '@svc/api'
import { expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { badReceivers, hangingAt, hangingMailServer, receiverOf } from '../../testing/receivers.ts'
import { onEveryEngine } from '../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../testing/test-workspace.ts'
import { alertWriter } from '../alerts/messages/writing.ts'
import { seal, sealKeyOf } from '../platform/seal.ts'
import { newSigningSecret } from './channels/webhook.ts'
import { createDispatcher } from './dispatcher.ts'
import { ping } from './send.ts'
import { sendersOf } from './senders.ts'
import { sendMail } from './smtp.ts'
import { enqueueTest } from './store.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
/**
 * The time that a try may take here: little if it must end without an answer, and enough for a busy machine otherwise.
 * The service gives fifteen seconds.
 */
const withinOf = (status: number | undefined): number => (status === undefined ? 300 : 15_000)
// biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be stored
const unclean = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

const browser = createECDH('prime256v1')
browser.generateKeys()
const subscription = JSON.stringify({
  p256dh: browser.getPublicKey('base64url'),
  auth: randomBytes(16).toString('base64url'),
})
/** The address of a receiver for each kind of channel that is sent by HTTP. */
const kinds: Readonly<Record<Exclude<ChannelKind, 'email'>, (url: string) => object>> = {
  webhook: (url) => ({ url, secret: newSigningSecret() }),
  slack: (url) => ({ url }),
  discord: (url) => ({ url }),
  teams: (url) => ({ url }),
  apprise: (url) => ({ url }),
  ntfy: (url) => ({ url }),
  telegram: (url) => ({ url, to: 'chat', secret: 'token' }),
  matrix: (url) => ({ url, to: 'room', secret: 'token' }),
  pushover: (url) => ({ url, to: 'user', secret: 'token' }),
  gotify: (url) => ({ url, secret: 'token' }),
  push: (url) => ({ url, secret: subscription }),
}

onEveryEngine('receivers that do not answer as they should', (open) => {
  const started = async ({ withinMs, smtpUrl }: { withinMs?: number; smtpUrl?: string }) => {
    const w = await newTestWorkspace(await open())
    const dispatcher = createDispatcher({
      ...{ store: w.store, now: w.clock.now, node: 'a', key, allowed: ['127.0.0.0/8'], withinMs },
      log: { warn: () => {} },
      senders: sendersOf({ baseUrl: 'https://svc.example.org', smtpUrl, mailFrom: 'svc@example.org' }),
      writer: alertWriter('https://svc.example.org'),
    })
    const add = async (scope: string, kind: ChannelKind, address: object) => {
      const channelId = await addChannel(w, { scope, kind, address })
      return enqueueTest(w.store.db, { channelId, workspace: scope }, w.clock.now())
    }
    const rows = () => w.store.db.selectFrom('alert_delivery').select(['id', 'state', 'last_answer']).execute()
    return { w, dispatcher, add, rows }
  }

  test.each(badReceivers)(
    'one that %s: every try ends, and its channel is free again',
    async (_says, behaviour, status) => {
      const { w, dispatcher, add, rows } = await started({ withinMs: withinOf(status) })
      const url = `http://127.0.0.1:${await receiverOf(behaviour)}/hook`
      // Each channel is in a workspace of its own, so that all are served at once.
      for (const [kind, address] of Object.entries(kinds)) await add(kind, kind as ChannelKind, address(url))
      await dispatcher.dispatch()
      const others = await rows()
      expect(others).toHaveLength(Object.keys(kinds).length)
      expect(new Set(others.map(({ state }) => state))).toEqual(new Set([status === 200 ? 'sent' : 'dead']))
      for (const { last_answer } of others) {
        expect(last_answer).not.toMatch(unclean)
        expect(last_answer?.isWellFormed()).toBe(true)
        expect(/^(\d{3})(?::|$)/.exec(last_answer ?? '')?.[1]).toBe(status === undefined ? undefined : `${status}`)
      }
      const leases = await w.store.db.selectFrom('alert_channel').select('serving_node').distinct().execute()
      expect(leases).toEqual([{ serving_node: null }])
      await dispatcher.stop()
    },
  )

  test('while receivers of other workspaces hang, a channel that works gets its message', async () => {
    const { dispatcher, add, rows } = await started({})
    const url = `http://127.0.0.1:${await receiverOf(() => {})}/hook`
    for (const [kind, address] of Object.entries(kinds)) await add(kind, kind as ChannelKind, address(url))
    const good = await receiverOf(goodReceiver)
    const wanted = await add('good', 'webhook', kinds.webhook(`http://127.0.0.1:${good}/hook`))
    dispatcher.start()
    await eventually('the message is sent', async () =>
      expect((await rows()).find(({ id }) => id === wanted)).toMatchObject({
        state: 'sent',
        last_answer: '200: thanks',
      }),
    )
    await dispatcher.stop()
  })

  test('while receivers of every workspace hang, the stop of the service gives their messages back', async () => {
    const { w, dispatcher, add, rows } = await started({})
    const called = Promise.withResolvers<void>()
    const url = `http://127.0.0.1:${await receiverOf((socket) => socket.once('data', () => called.resolve()))}/hook`
    for (const [kind, address] of Object.entries(kinds)) await add(kind, kind as ChannelKind, address(url))
    const sending = dispatcher.dispatch()
    await called.promise
    await dispatcher.stop()
    await sending
    const waiting = (await rows()).filter(({ state }) => state === 'waiting')
    expect(waiting.length).toBeGreaterThan(0)
    const leased = await w.store.db
      .selectFrom('alert_channel')
      .select('id')
      .where('serving_node', 'is not', null)
      .execute()
    expect(leased).toEqual([])
  })

  test.each(hangingAt)('a mail server that hangs at %s: the try ends', async (at) => {
    const smtpUrl = `smtp://127.0.0.1:${await receiverOf(hangingMailServer(at))}`
    const { dispatcher, add, rows } = await started({ smtpUrl, withinMs: withinOf(at === 'QUIT' ? 250 : undefined) })
    await add('north', 'email', { to: 'ops@example.org' })
    await dispatcher.dispatch()
    expect(await rows()).toMatchObject([{ state: at === 'QUIT' ? 'sent' : 'dead' }])
    await dispatcher.stop()
  })

  test('a mail server whose reply holds a NUL and control characters: the mail counts as taken, once', async () => {
    const port = await receiverOf(hangingMailServer('QUIT', '250 kept \0 \u001b[31m\u202e'))
    const { dispatcher, add, rows } = await started({ smtpUrl: `smtp://127.0.0.1:${port}` })
    await add('north', 'email', { to: 'ops@example.org' })
    await dispatcher.dispatch()
    const [row] = await rows()
    expect(row?.state).toBe('sent')
    expect(row?.last_answer).not.toMatch(unclean)
  })
})

test.each(badReceivers)('the heartbeat of one that %s ends', async (_says, behaviour, status) => {
  const url = `http://127.0.0.1:${await receiverOf(behaviour)}/ping`
  const answer = await ping(url, { withinMs: withinOf(status) })
  expect(answer.is === 'status' ? answer.status : undefined).toBe(status)
})

test.each(['https', 'smtps'])('a TLS handshake that stops ends the try (%s)', async (protocol) => {
  const url = `${protocol}://127.0.0.1:${await receiverOf((socket) => void socket.write('\x16\x03'))}/`
  const mail = { subject: 'x', text: 'x', html: 'x', messageId: '<x@example.org>', headers: {} }
  const sent =
    protocol === 'https'
      ? ping(url, { withinMs: 300 })
      : sendMail({ smtpUrl: url, mailFrom: 'svc@example.org' }, 'ops@example.org', mail, { withinMs: 300 })
  expect(await sent).toMatchObject({ is: 'unreachable' })
})

const goodReceiver = (socket: Socket) => {
  socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nthanks'))
}

async function addChannel(
  { store: { db }, clock, workspace }: TestWorkspace,
  { scope, kind, address }: { scope: string; kind: ChannelKind; address: object },
): Promise<string> {
  const id = `channel-${scope}`
  await db
    .insertInto('alert_channel')
    .values({
      ...{ id, scope, workspace_id: workspace.id, owner: '', name: 'ops', kind, format: 'single', enabled: 1 },
      ...{ shown: '', sealed: seal(key, id, JSON.stringify(address)) },
      ...{ created_at: clock.now(), created_by_name: 'Ada', dead: 0 },
    })
    .execute()
  return id
}
