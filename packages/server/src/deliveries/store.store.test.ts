import { expect, test } from 'vitest'
import { everyEngine } from '../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../testing/test-workspace.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../db/tables.ts'
import { newId } from '../ids.ts'
import type { DeliveryAnswer } from './outbox.ts'
import { endOld, endWaiting, retry, settle } from './settling.ts'
import { claim, dueChannels, enqueue, enqueueTest, type Writer } from './store.ts'

interface TestChange {
  id: string
  says: string
}
/** Writes each change as the id of its alert and a word. If an alert has ended, its other changes are left out. */
const writer: Writer<TestChange> = {
  fold: (all) =>
    all.filter(({ id, says }) => says === 'ended' || !all.some((other) => other.id === id && other.says === 'ended')),
  write: (_channel, all) => written(all.map(({ id, says }) => `${id} ${says}`).join(', ')),
  test: (workspace) => written(`test of ${workspace}`),
}
const written = (body: string) => ({ body, text: { title: body, lines: [], url: '', level: null } })
const taken: DeliveryAnswer = { is: 'status', status: 200, retryAfter: undefined, message: 'ok' }
const failed: DeliveryAnswer = { is: 'status', status: 500, retryAfter: undefined, message: 'oops' }
const gone: DeliveryAnswer = { ...failed, status: 410 }
const day = 86_400

everyEngine('deliveries as rows', (open) => {
  const opened = async (format: AlertChannelRow['format'] = 'single') => {
    const w = await newTestWorkspace(await open())
    const channel = await addChannel(w, format)
    const db = w.store.db
    const tell = async (id: string, says = 'opened') => {
      const now = await db
        .selectFrom('alert_channel')
        .selectAll()
        .where('id', '=', channel.id)
        .executeTakeFirstOrThrow()
      await enqueue(db, [now], { id, says } as TestChange, w.clock.now())
    }
    const due = async () => (await dueChannels(w.store, w.clock.now())).length
    const claimed = async () => {
      const found = await claim(w.store, channel.id, writer, w.clock.now())
      return (found?.deliveries ?? []).map(({ row, written: { body } }) => ({ id: row.id, body }))
    }
    const ends = (id: string, answer: DeliveryAnswer) =>
      settle(w.store, id, answer, { now: w.clock.now(), random: 0.5 })
    const rows = (): Promise<AlertDeliveryRow[]> => db.selectFrom('alert_delivery').selectAll().orderBy('id').execute()
    const is = () => db.selectFrom('alert_channel').selectAll().where('id', '=', channel.id).executeTakeFirstOrThrow()
    return { w, channel, tell, due, claimed, ends, rows, is }
  }

  test('a change is sent at once, and nothing is left when it was accepted', async () => {
    const { tell, due, claimed, ends, rows, is } = await opened()
    await tell('a')
    expect(await due()).toBe(1)
    const [sent] = await claimed()
    expect(sent?.body).toBe('a opened')
    expect(await ends(sent?.id ?? '', taken)).toEqual({ outcome: { is: 'sent' }, disabled: false })
    expect(await due()).toBe(0)
    expect(await rows()).toMatchObject([{ state: 'sent', tries: 1, due_at: null, last_answer: '200: ok' }])
    expect(await is()).toMatchObject({ last_answer: '200: ok', failing_since: null })
  })

  test('a delivery that one node sends is left alone by the others for a minute', async () => {
    const { w, tell, due, claimed } = await opened()
    await tell('a')
    const both = (await Promise.all([claimed(), claimed()])).flat()
    expect(both).toHaveLength(1)
    w.clock.pass(59)
    expect([await due(), await claimed()]).toEqual([0, []])
    w.clock.pass(1)
    expect(await claimed()).toEqual(both)
  })

  test('a failed try is repeated with the same id and the same body', async () => {
    const { w, tell, due, claimed, ends, is } = await opened()
    await tell('a')
    const [first] = await claimed()
    await ends(first?.id ?? '', failed)
    expect(await is()).toMatchObject({ last_answer: '500: oops', failing_since: w.clock.now() })
    w.clock.pass(4)
    expect(await due()).toBe(0)
    w.clock.pass(1)
    expect(await claimed()).toEqual([first])
  })

  test('a group waits for 30 s and is one delivery, then at most one every five minutes', async () => {
    const { w, tell, due, claimed, ends, rows } = await opened('grouped')
    await tell('a')
    w.clock.pass(20)
    await tell('b')
    expect([await due(), await claimed()]).toEqual([0, []])
    const before = (await rows()).map(({ id }) => id)
    w.clock.pass(10)
    const [sent] = await claimed()
    expect(sent?.body).toBe('a opened, b opened')
    expect(before).not.toContain(sent?.id)
    expect(await rows()).toHaveLength(1)
    await ends(sent?.id ?? '', taken)
    w.clock.pass(60)
    await tell('c')
    w.clock.pass(239)
    expect(await due()).toBe(0)
    w.clock.pass(1)
    expect((await claimed()).map(({ body }) => body)).toEqual(['c opened'])
  })

  test('a failed group is repeated unchanged, and later changes are another group', async () => {
    const { w, tell, claimed, ends } = await opened('grouped')
    await tell('a')
    w.clock.pass(30)
    const [first] = await claimed()
    await ends(first?.id ?? '', failed)
    await tell('b')
    w.clock.pass(5)
    expect(await claimed()).toEqual([first])
  })

  test.each(['single', 'grouped'] as const)(
    'an alert that ended before it was sent is one entry (%s)',
    async (format) => {
      const { w, tell, claimed, rows } = await opened(format)
      await tell('a')
      await tell('b')
      await tell('a', 'ended')
      w.clock.pass(30)
      const bodies = (await claimed()).map(({ body }) => body)
      expect(bodies.join(', ')).toBe('b opened, a ended')
      expect(await rows()).toHaveLength(format === 'single' ? 2 : 1)
    },
  )

  test('the tenth dead delivery in a row disables a channel, and its waiting deliveries are not sent', async () => {
    const { w, tell, due, claimed, ends, is, rows } = await opened()
    for (let i = 0; i < 10; i++) await tell(`${i}`)
    w.clock.pass(day - 1)
    for (let found = await claimed(); found.length > 0; found = await claimed()) {
      await tell('more')
      for (const { id } of found) await ends(id, failed)
    }
    expect(await is()).toMatchObject({ enabled: 0, dead: 10 })
    expect((await is()).disabled_why).toContain('500: oops')
    expect(await due()).toBe(0)
    expect(new Set((await rows()).map(({ state }) => state))).toEqual(new Set(['dead']))
  })

  test('a receiver that is gone disables its channel at once, and an accepted delivery ends the count of failures', async () => {
    const { w, tell, claimed, ends, is } = await opened()
    await w.store.db.updateTable('alert_channel').set({ dead: 9, failing_since: 1 }).execute()
    await tell('a')
    await ends((await claimed())[0]?.id ?? '', taken)
    expect(await is()).toMatchObject({ enabled: 1, dead: 0, failing_since: null })
    await tell('b')
    expect(await ends((await claimed())[0]?.id ?? '', gone)).toMatchObject({ disabled: true })
    expect(await is()).toMatchObject({ enabled: 0, disabled_why: 'The receiver is gone (410: oops).' })
  })

  test('a test message is sent at once, even to a disabled channel, and is tried only once', async () => {
    const { w, channel, tell, claimed, ends, rows, is } = await opened('grouped')
    await tell('a')
    await w.store.db.updateTable('alert_channel').set({ enabled: 0 }).execute()
    const id = await enqueueTest(w.store.db, { channelId: channel.id, workspace: 'north' }, w.clock.now())
    expect(await claimed()).toEqual([{ id, body: 'test of north' }])
    expect(await ends(id, failed)).toEqual({ outcome: { is: 'dead', gone: false }, disabled: false })
    expect((await rows()).find((row) => row.id === id)).toMatchObject({ state: 'dead', last_answer: '500: oops' })
    expect(await is()).toMatchObject({ dead: 0, failing_since: null })
  })

  test('an answer that comes after the delivery ended changes nothing', async () => {
    const { w, tell, claimed, ends, rows } = await opened()
    await tell('a')
    const [sent] = await claimed()
    await endWaiting(w.store.db, { why: 'restored' }, w.clock.now())
    expect(await ends(sent?.id ?? '', taken)).toBeUndefined()
    expect(await rows()).toMatchObject([{ state: 'dead', last_answer: 'restored' }])
  })

  test('a delivery that is a day old is given up, can be sent again, and is deleted after 30 days', async () => {
    const { w, tell, due, claimed, rows } = await opened()
    await tell('a')
    const [first] = await claimed()
    w.clock.pass(day)
    await endOld(w.store, w.clock.now())
    expect(await due()).toBe(0)
    expect(await retry(w.store.db, first?.id ?? '', w.clock.now())).toBe(true)
    expect(await retry(w.store.db, first?.id ?? '', w.clock.now())).toBe(false)
    expect(await claimed()).toEqual([first])
    await endWaiting(w.store.db, { why: 'x' }, w.clock.now())
    w.clock.pass(30 * day)
    await endOld(w.store, w.clock.now())
    expect(await rows()).toHaveLength(1)
    w.clock.pass(1)
    await endOld(w.store, w.clock.now())
    expect(await rows()).toEqual([])
  })
})

async function addChannel(w: TestWorkspace, format: AlertChannelRow['format']): Promise<AlertChannelRow> {
  const row: AlertChannelRow = {
    id: newId(w.clock.now()),
    scope: w.workspace.id,
    workspace_id: w.workspace.id,
    person_id: null,
    owner: '',
    name: 'ops',
    preferences: null,
    kind: 'webhook',
    format,
    enabled: 1,
    disabled_why: null,
    shown: '',
    sealed: '',
    created_at: w.clock.now(),
    created_by_name: 'Ada',
    last_answer: null,
    last_at: null,
    grouped_at: null,
    failing_since: null,
    dead: 0,
  }
  await w.store.db.insertInto('alert_channel').values(row).execute()
  return row
}
