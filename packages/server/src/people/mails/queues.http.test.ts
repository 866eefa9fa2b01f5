/** Tests that receivers which hang do not delay the messages to other receivers. */
import type { ChannelKind } from '@svc/api'
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { mailbox } from '../../../../../testing/mailbox.ts'
import { serve } from '../../../testing/page/service.ts'
import { receiverOf } from '../../../testing/receivers.ts'
import { newSigningSecret } from '../../deliveries/channels/webhook.ts'
import { createDispatcher } from '../../deliveries/dispatcher.ts'
import { sendersOf } from '../../deliveries/senders.ts'
import { enqueueTest } from '../../deliveries/store.ts'
import type { MessageWriter, StoredChange } from '../../deliveries/writer.ts'
import { seal, sealKeyOf } from '../../platform/seal.ts'
import { accountMails } from './sending/mailer.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
const baseUrl = 'https://svc.example.org'
const written = { text: { title: 'x', lines: [], url: baseUrl, level: null }, body: '{}' }
const writer: MessageWriter<StoredChange> = { fold: (changes) => changes, write: () => written, test: () => written }

/** A service in which 40 channels and the mails to everybody at `slow.test` hang. All that can be sent is tried. */
async function hanging() {
  const asked: string[] = []
  const box = await mailbox({
    options: {
      onRcptTo({ address }, _session, done) {
        asked.push(address)
        if (!address.endsWith('@slow.test')) done()
      },
    },
  })
  const service = await serve({ smtpUrl: box.url })
  const { store } = service
  const north = await service.workspace('north')
  await service.workspace('south')
  const [ann, bob] = [await service.person('Ann', 'north', 'admin'), await service.person('Bob', 'south', 'admin')]
  await store.db.deleteFrom('account_mail').execute()
  const mails = accountMails({ ...service, config: { ...service.config }, key })
  const dispatcher = createDispatcher(
    {
      ...{ store, log: service.log, now: service.now, node: 'a', key, allowed: ['127.0.0.0/8'] },
      ...{ senders: sendersOf({ baseUrl, smtpUrl: box.url, mailFrom: 'svc@example.org' }), writer },
    },
    [mails],
  )
  const invite = (by: typeof ann, slug: string, to: string) =>
    by.send('POST', `/api/web/w/${slug}/invitations`, { email: to, role: 'member', mail: true })
  /** Adds a channel with a test or an alert that waits. */
  const add = async (id: string, port: number, isTest: boolean) => {
    const address = { url: `http://127.0.0.1:${port}/`, secret: newSigningSecret() }
    const scope = { id, scope: north.id, workspace_id: north.id, owner: '', name: id, kind: 'webhook' as ChannelKind }
    const more = { format: 'single' as const, enabled: 1, shown: '', created_at: 0, created_by_name: 'Ann', dead: 0 }
    const sealed = seal(key, id, JSON.stringify(address))
    await store.db
      .insertInto('alert_channel')
      .values({ ...scope, ...more, sealed })
      .execute()
    const delivery = await enqueueTest(store.db, { channelId: id, workspace: 'north' }, service.now())
    if (!isTest)
      await store.db.updateTable('alert_delivery').set({ kind: 'alert' }).where('id', '=', delivery).execute()
  }
  let calls = 0
  const hangs = await receiverOf(() => void calls++)
  for (let i = 0; i < 40; i++) await add(`hangs-${i}`, hangs, false)
  for (let i = 0; i < 12; i++) await invite(ann, 'north', `ann${i}@slow.test`)
  void dispatcher.dispatch()
  await eventually('the slow ones are tried', () => expect(Math.min(calls, asked.length)).toBeGreaterThan(0))
  const end = async () => {
    await dispatcher.stop()
  }
  return { box, service, ann, bob, dispatcher, invite, add, end }
}

test('while 12 slow recipients and 40 channels hang, the first message of every other queue is sent', async () => {
  const { box, service, ann, bob, dispatcher, invite, add, end } = await hanging()
  const good = await receiverOf((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  })
  const mailTo = (address: string) => box.mails.some(({ to }) => to.includes(address))
  const sent = async (id: string) =>
    (await service.store.db.selectFrom('alert_delivery').select('state').where('channel_id', '=', id).execute())[0]
      ?.state === 'sent'
  const forgot = (email: string) => service.browser().send('POST', '/api/web/forgot', { email })
  const rows: [string, () => Promise<unknown>, () => boolean | Promise<boolean>][] = [
    ['a forgotten password', () => forgot('bob@example.org'), () => mailTo('bob@example.org')],
    ['an invitation of another workspace', () => invite(bob, 'south', 'x@b.test'), () => mailTo('x@b.test')],
    ['an invitation of the same workspace', () => invite(ann, 'north', 'y@c.test'), () => mailTo('y@c.test')],
    ['a test of a new channel of the same workspace', () => add('tested', good, true), () => sent('tested')],
  ]
  for (const [what, queue, isSent] of rows) {
    await queue()
    await eventually(`this is sent: ${what}`, async () => {
      void dispatcher.dispatch()
      expect(await isSent()).toBe(true)
    })
  }
  await end()
})
