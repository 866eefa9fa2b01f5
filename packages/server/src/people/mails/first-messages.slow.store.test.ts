/**
 * Tests the queues with simulated receivers and a simulated clock: a first message is sent within ten seconds, even if
 * the receivers of other people hang. `npm run bench -- messages` measures the same with real receivers. `npm test`
 * leaves this out. packages/server/src/deliveries/slots.test.ts proves the same rules.
 */
import { expect, test, vi } from 'vitest'
import { quickPasswords } from '../../../testing/quick-passwords.ts'
import { type ReceiverAct, simulatedReceivers } from '../../../testing/simulated-receivers.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { addPerson, addToWorkspace, addWorkspace } from '../../../testing/test-workspace.ts'
import { tryMs } from '../../deliveries/attempt.ts'
import { createSourceDispatcher } from '../../deliveries/dispatcher.ts'
import { channelsOf } from '../../deliveries/serving.ts'
import { enqueueDeliveries, enqueueTest } from '../../deliveries/store.ts'
import type { MessageWriter, StoredChange } from '../../deliveries/writer.ts'
import type { Store } from '../../platform/db/open.ts'
import { seal, sealKeyOf } from '../../platform/seal.ts'
import { openAuth, warmUpAuth } from '../accounts/auth.ts'
import { invite } from '../workspaces/invitations.ts'
import { queueMail } from './queue.ts'
import { accountMails } from './sending/mailer.ts'

const [baseUrl, maxSeconds] = ['https://svc.example.org', 10]
const key = sealKeyOf('a secret of at least thirty-two characters')
const written = { text: { title: 'x', lines: [], url: baseUrl, level: null }, body: '{}' }
const writer: MessageWriter<StoredChange> = { fold: (changes) => changes, write: () => written, test: () => written }
const log = { warn: () => {} }
const config = { baseUrl, smtpUrl: 'smtp://mail.test', mailFrom: 'svc@example.org' }

const answers = (status: number) => ({ is: 'status', status, retryAfter: undefined, message: '' }) as const
const silent = { is: 'unreachable', message: 'It did not answer in time.' } as const
const good: ReceiverAct = [50, answers(250)]

/** The receivers of other people, each with the way it acts, and true if it worked before. */
const receivers: readonly [says: string, act: ReceiverAct, worked: boolean][] = [
  ['take longer than a try may', [tryMs, silent], false],
  ['worked before, and hang now', [tryMs, silent], true],
  ['answer after 14 s', [14_000, answers(250)], true],
  ['refuse at once', [0, answers(550)], false],
  ['cannot be reached', [0, { is: 'unreachable', message: 'connect ECONNREFUSED' }], false],
]

/**
 * A service with simulated receivers. Those whose address has the word `slow` act as `act` says from the first second
 * on.
 */
async function world(store: Store, act: ReceiverAct, worked: boolean) {
  let isSlow = !worked
  const simulated = simulatedReceivers((to) => (isSlow && to.includes('slow') ? act : good))
  const { now, send, watched } = simulated
  const auth = openAuth(store, { baseUrl, secret: 'a secret of the tests, long enough', passwords: quickPasswords })
  await warmUpAuth(auth)
  const people = { store, auth, config }
  const senders = {
    webhook: ({ url = '' }: { url?: string | undefined }, _: unknown, limits: object) => send(url, limits),
    email: ({ to = '' }: { to?: string | undefined }, _: unknown, limits: object) => send(to, limits),
  }
  const serving = { store, log, now, node: 'a', key, allowed: [], senders, writer, random: () => 0.5 }
  const mails = accountMails({
    ...{ store, auth, config, log, now, key },
    send: (_, to, __, limits) => send(to, limits),
  })
  const dispatcher = createSourceDispatcher([watched(channelsOf(serving)), watched(mails)], { log, now })
  const north = await addWorkspace(store, 'north', true, now())
  const admin = await addPerson(store, 'Ann', north.id, 'admin', now())
  const newWorkspace = async (slug: string) => {
    const workspace = await addWorkspace(store, slug, true, now())
    await addToWorkspace(store, { workspaceId: workspace.id, userId: admin.id, role: 'admin' }, now())
    return workspace
  }
  const forget = async (email: string) => {
    await addPerson(store, 'Bob', north.id, 'member', now(), email)
    await queueMail(store.db, { kind: 'forgot', email }, now())
  }
  const inviteTo = async (workspace: typeof north, email: string) => {
    const invited = await invite({ people, by: admin, now: now() }, workspace, { email, role: 'member', mail: true })
    expect(invited).toMatchObject({ ok: true, value: { mailed: true } })
  }
  /** Adds a channel, whose name is also its address. */
  const addChannel = async (workspace: { id: string }, id: string, works: number | null = null) => {
    const kind = id.includes('@') ? 'email' : 'webhook'
    const place = { id, scope: workspace.id, workspace_id: workspace.id, owner: '', name: id, works }
    const more = { format: 'single', enabled: 1, shown: '', created_at: 0, created_by_name: 'Ann', dead: 0 } as const
    const sealed = seal(key, id, JSON.stringify(kind === 'email' ? { to: id } : { url: id }))
    await store.db
      .insertInto('alert_channel')
      .values({ ...place, ...more, kind, sealed })
      .execute()
  }
  const alert = (channel: string) =>
    enqueueDeliveries(store.db, [{ id: channel, format: 'single', grouped_at: null }], { id: channel }, now())
  const play = (seconds: number) => simulated.play(seconds, dispatcher.dispatch)

  /** Queues what waits for the slow receivers: 12 recipients of a domain, 50 invitations, and 40 channels. */
  async function hold(): Promise<void> {
    if (worked) {
      await inviteTo(north, 'first@slow.test')
      await play(1)
    }
    isSlow = true
    const many = await newWorkspace('many')
    for (let i = 0; i < 6; i++) await inviteTo(north, `eve${i}@slow.test`)
    for (let i = 0; i < 6; i++) await forget(`eve${i}@forgot.slow.test`)
    for (let i = 0; i < 50; i++) await inviteTo(many, `eve@many-${i}.slow.test`)
    for (let i = 0; i < 40; i++) {
      await addChannel(north, `slow-${i}`, worked ? 1 : null)
      await alert(`slow-${i}`)
    }
  }

  /** The queues, each with what queues a message to a receiver with this address, to which nothing was ever sent. */
  const queues: readonly [says: string, address: string, queue: (address: string) => Promise<unknown>][] = [
    ['a forgotten password', 'bob@forgot-N.test', forget],
    ['an invitation', 'cy@invited-N.test', async (to) => inviteTo(await newWorkspace(to.replace(/\W/g, '-')), to)],
    [
      'a notice',
      'dan@noticed-N.test',
      async (to) => {
        const { id } = await addPerson(store, 'Dan', north.id, 'member', now(), to)
        await queueMail(store.db, { kind: 'notice', person: id, what: 'password' }, now())
      },
    ],
    [
      'a sign-in from a new device',
      'eva@new-N.test',
      async (to) => {
        const { id } = await addPerson(store, 'Eva', north.id, 'member', now(), to)
        await queueMail(store.db, { kind: 'new_device', person: id, address: '203.0.113.7', userAgent: '' }, now())
      },
    ],
    ...['ops@mail-N.test', 'webhook-N'].map((address): (typeof queues)[number] => [
      `an alert to ${address}`,
      address,
      async (to) => {
        await addChannel(await newWorkspace(to.replace(/\W/g, '-')), to)
        await alert(to)
      },
    ]),
    [
      'a test of a channel beside those that hang',
      'tested-N',
      async (to) => {
        await addChannel(north, to)
        await enqueueTest(store.db, { channelId: to, workspace: 'north' }, now())
      },
    ],
  ]
  return { ...simulated, queues, hold, play, stop: dispatcher.stop }
}

onEveryEngine('while 12 recipients, 50 invitations and 40 channels wait for receivers', (open) => {
  test.each(receivers)('that %s, every first message leaves within 10 s', async (_says, act, worked) => {
    const { accepted, now, queues, hold, play, stop } = await world(await open(), act, worked)
    try {
      await hold()
      const queued = new Map<string, number>()
      // The first messages are queued while everything is tried for the first time, the others in the middle of the
      // retries.
      for (const [n, seconds] of [3, 17].entries()) {
        await play(seconds)
        for (const [, address, queue] of queues) {
          const to = address.replace('N', String(n))
          queued.set(to, now())
          await queue(to)
        }
      }
      await play(maxSeconds)
      const late = [...queued].flatMap(([to, at]) => {
        const seconds = ((accepted.get(to) ?? Number.POSITIVE_INFINITY) - at) / 1000
        return seconds > maxSeconds ? [`${to} after ${seconds} s`] : []
      })
      expect(late.join()).toBe('')
      await stop()
    } finally {
      vi.useRealTimers()
    }
  })
})
