/** Tests alerts about health items from the report to a real receiver. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RuleName } from '@svc/api'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { createDispatcher } from '../../deliveries/dispatcher.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { addChannel } from '../changes/channels.ts'
import { listAlerts, listMutes } from '../changes/listing.ts'
import { liftMute, muteAlerts } from '../changes/muting.ts'
import { setRule } from '../changes/rules.ts'
import { alertWriter } from '../messages/writing.ts'
import { scopeOf } from '../scope.ts'
import { evaluateScope } from './evaluate.ts'

const baseUrl = 'https://svc.example.org'
const key = sealKeyOf('a secret of at least thirty-two characters')
const allowed = ['127.0.0.0/8']
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Message {
  type: string
  data: { summary: string; rule: RuleName; subject: object; label?: string }
}

/** Starts an HTTP server on this machine that keeps the messages it gets. */
async function receiver() {
  const messages: Message[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      messages.push(JSON.parse(body) as Message)
      response.end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return { messages, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

type Item = [name: string, detail?: string, level?: 'ok' | 'warn' | 'bad']

onEveryEngine('alerts about health items', (open) => {
  const lived = async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
    const ctx = () => ({ db, by: w.admin, now: w.clock.now(), role: 'admin' as const })
    const { messages, url } = await receiver()
    const adds = async (name: string) => {
      const hook = { name, kind: 'webhook', url, format: 'single' }
      expect(await addChannel({ ...ctx(), key, allowed, mails: false }, w.workspace, hook)).toMatchObject({ ok: true })
    }
    await adds('ops')
    const dispatcher = createDispatcher({
      ...{ store: w.store, log: pino({ level: 'silent' }), now: w.clock.now, node: 'a', key, allowed },
      ...{ senders: {}, writer: alertWriter(baseUrl) },
    })
    const { decide } = reporting(w)
    const waits = async () => {
      const waiting = db.selectFrom('alert_delivery').select('id').where('state', '=', 'waiting')
      return (await waiting.executeTakeFirst()) !== undefined
    }
    const lives = async (minutes: number, itemsOf: (report: number) => Item[], more: object = {}) => {
      for (let i = 0; i < minutes * 4; i++) {
        const health = itemsOf(i).map(([name, detail, level = 'bad']) => ({ name, level, ...(detail && { detail }) }))
        const worst = health.some(({ level }) => level === 'bad') ? 'bad' : 'ok'
        if (i % 2 === 0) await decide({ state: { level: worst, label: 'jobs' }, health, ...more })
        w.clock.pass(15)
        await evaluateScope(w.store, place, { baseUrl, now: w.clock.now() })
      }
      while (await waits()) await dispatcher.dispatch()
    }
    const listed = async () => {
      const rows = await listAlerts(db, w.workspace, { all: false, limit: 500 })
      return rows.map(({ rule, subject, state }) => [rule, subject.item ?? null, state]).reverse()
    }
    return {
      ...{ w, db, place, ctx, adds, messages, lives, listed },
      /** Reports every 30 s for this many minutes, evaluates every 15 s, and then sends. */
      are: (minutes: number, ...items: Item[]) => lives(minutes, () => items),
      said: () => messages.splice(0).map(({ type, data }) => `${type.replace('alert.', '')}: ${data.summary}`),
    }
  }
  const vela = 'mail-triage'
  const gone = 'Closed because the item is no longer reported: '

  test('two failed jobs make two messages at a real receiver, and success ends each', async () => {
    const { are, said, messages, listed } = await lived()
    const [backup, mail] = [
      ['Job backup', 'failed (exit 1) 03:12'],
      ['Job mail', 'overdue by 2 h'],
    ] as Item[]
    if (!backup || !mail) throw new Error('There are no jobs.')
    await are(3, backup)
    expect(messages.map(({ data: { rule, subject, label } }) => [rule, subject, label])).toEqual([
      ['item', { kind: 'agent', name: vela, item: 'Job backup' }, 'failed (exit 1) 03:12'],
    ])
    expect(said()).toEqual([`opened: Job backup on ${vela} has been bad for 2 minutes: failed (exit 1) 03:12`])
    await are(3, backup, mail)
    expect(said()).toEqual([`opened: Job mail on ${vela} has been bad for 2 minutes: overdue by 2 h`])
    expect(await listed()).toEqual([
      ['item', 'Job backup', 'open'],
      ['item', 'Job mail', 'open'],
    ])
    await are(3, ['Job backup', 'ok 03:40', 'ok'], mail)
    expect(said()).toEqual([expect.stringMatching(`^ended: Job backup on ${vela} was bad from `)])
    await are(3)
    expect(said()).toEqual([expect.stringMatching(`^ended: ${gone}Job mail on ${vela} was bad from `)])
    expect(await listed()).toEqual([])
  })

  test('an agent whose bad item changes its name with every report still makes one message', async () => {
    const { lives, said, listed } = await lived()
    await lives(20, (i) => [[`Task ${Math.floor(i / 2)}`, 'stuck']])
    expect(said()).toEqual([`opened: ${vela} has been at level Bad for 2 minutes: jobs`])
    expect((await listed()).filter(([, , state]) => state !== 'pending')).toEqual([['bad', null, 'open']])
    expect((await listed()).filter(([rule]) => rule === 'item')).toHaveLength(1)
  })

  test('an agent whose bad items have new names again and again sends at most five messages in an hour', async () => {
    const { db, are, said } = await lived()
    for (let i = 0; i < 14; i++) await are(3, [`Task ${i}`])
    const texts = said().map((text) => text.replace(gone, '').split(' on ')[0])
    expect(texts.toSorted()).toEqual([
      'ended: Task 0',
      'ended: Task 1',
      'opened: Further health items',
      'opened: Task 0',
      'opened: Task 1',
    ])
    expect((await db.selectFrom('alert').select('id').execute()).length).toBeLessThan(6)
  })

  test('an open alert of the rule `bad` ends without a message when one about an item opens', async () => {
    const { ctx, w, are, said, listed } = await lived()
    await setRule(ctx(), w.workspace, { rule: 'item', on: false })
    await are(5, ['Job backup', 'failed'])
    expect(said()).toEqual([`opened: ${vela} has been at level Bad for 2 minutes: jobs`])
    await setRule(ctx(), w.workspace, { rule: 'item', on: true })
    await are(5, ['Job backup', 'failed'])
    expect(said()).toEqual([`opened: Job backup on ${vela} has been bad for 2 minutes: failed`])
    expect(await listed()).toEqual([['item', 'Job backup', 'open']])
    await setRule(ctx(), w.workspace, { rule: 'item', on: false })
    await are(3, ['Job backup', 'failed'])
    expect(said()).toEqual([`opened: ${vela} has been at level Bad for 2 minutes: jobs`])
    expect(await listed()).toEqual([['bad', null, 'open']])
  })

  test('an agent that is still bad when its item is well again has an alert of the rule `bad`', async () => {
    const { are, said, lives } = await lived()
    await are(3, ['Job backup'])
    expect(said()).toEqual([`opened: Job backup on ${vela} has been bad for 2 minutes`])
    await lives(6, () => [], { state: { level: 'bad', label: 'stuck' } })
    expect(said()).toEqual([
      expect.stringMatching(`^ended: ${gone}Job backup on ${vela}`),
      `opened: ${vela} has been at level Bad for 2 minutes: stuck`,
    ])
  })

  test('a mute of one item leaves the others, and what is still open after it is sent once', async () => {
    const { ctx, w, are, said, db } = await lived()
    const wanted = { agent: vela, item: 'Job backup', seconds: 600 }
    const muted = await muteAlerts(ctx(), w.workspace, wanted)
    expect(muted).toMatchObject({ ok: true, value: { agent: vela, rule: 'item', item: 'Job backup' } })
    expect(await listMutes(db, w.workspace)).toMatchObject([{ agent: vela, rule: 'item', item: 'Job backup' }])
    await are(3, ['Job backup'], ['Job mail'])
    expect(said()).toEqual([`opened: Job mail on ${vela} has been bad for 2 minutes`])
    if (muted.ok) await liftMute(ctx(), w.workspace, muted.value.id)
    await are(0.5, ['Job backup'], ['Job mail'])
    expect(said()).toEqual([`opened: Job backup on ${vela} has been bad for 3 minutes`])
  })

  test('a mute until it is over ends with the alert about its item', async () => {
    const { ctx, w, are, said, db } = await lived()
    await are(3, ['Job backup'], ['Job mail'])
    said()
    await muteAlerts(ctx(), w.workspace, { agent: vela, item: 'Job backup', seconds: null })
    await are(3, ['Job mail'])
    expect(said()).toEqual([expect.stringMatching(`^ended: Job backup on ${vela}`)])
    expect(await listMutes(db, w.workspace)).toEqual([])
  })

  test('items that are bad at once send five messages, and one without a name in the report stays as it is', async () => {
    const { are, said, listed } = await lived()
    const jobs = Array.from({ length: 26 }, (_, i): Item => [`Job ${i + 1}`])
    await are(3, ...jobs)
    expect(said().toSorted()).toEqual([
      `opened: Further health items on ${vela} have been bad for 2 minutes: Job 5, Job 6, Job 7 and 19 more`,
      ...[1, 2, 3, 4].map((i) => `opened: Job ${i} on ${vela} has been bad for 2 minutes`),
    ])
    await are(3, ...jobs.toReversed())
    expect(said()).toEqual([])
    expect(await listed()).toHaveLength(5)
    await are(3, ...jobs.slice(0, 4))
    expect(said()).toEqual([expect.stringMatching(`^ended: Further health items on ${vela} were bad`)])
    expect((await listed()).map(([, item]) => item).toSorted()).toEqual(['Job 1', 'Job 2', 'Job 3', 'Job 4'])
  })

  test('a message has the first 80 characters of the last report about the item, and nothing of another level', async () => {
    const { w, are, said, messages } = await lived()
    await are(3, ['Job backup', `${'x'.repeat(90)}`], ['Process', 'exit 1'])
    expect(said().filter((text) => text.includes('Job backup'))).toEqual([
      `opened: Job backup on ${vela} has been bad for 2 minutes: ${'x'.repeat(79)}…`,
    ])
    await are(1, ['Job backup', 'still failing'])
    w.clock.pass(3600)
    await are(1, ['Job backup', 'still failing'])
    const reminders = messages.filter(({ type }) => type === 'alert.reminder').map(({ data }) => data.label)
    expect(reminders).toEqual(['still failing'])
  })

  test('an alert that nobody acknowledges is sent to further channels with the words of the last report', async () => {
    const { ctx, w, are, said, adds } = await lived()
    await adds('boss')
    await setRule(ctx(), w.workspace, { rule: 'item', escalation: { after: 300, channels: ['boss'] } })
    await are(3, ['Job backup', 'failed once'])
    expect(said()).toHaveLength(1)
    await are(5, ['Job backup', 'failed twice'])
    expect(said()).toEqual([`opened: Job backup on ${vela} has been bad for 7 minutes: failed twice`])
  })

  test('while the agent is offline its alerts about items stay as they are', async () => {
    const { are, said, listed, w, place } = await lived()
    await are(3, ['Job backup'])
    said()
    for (let i = 0; i < 20; i++) {
      w.clock.pass(15)
      await evaluateScope(w.store, place, { baseUrl, now: w.clock.now() })
    }
    expect(await listed()).toContainEqual(['item', 'Job backup', 'open'])
  })
})
