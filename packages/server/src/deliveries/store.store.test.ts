import { expect, test } from 'vitest'
import { onBothEngines } from '../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../testing/test-workspace.ts'
import type { AlertChannelRow, AlertDeliveryRow } from '../platform/db/tables.ts'
import { newId } from '../platform/ids.ts'
import { freeLeases } from '../service/sweeper/stored-times.ts'
import { claimDeliveries } from './claiming.ts'
import type { DeliveryAnswer } from './outbox.ts'
import { endOldDeliveries, endWaiting, retryGivenUp, settleDelivery } from './settling.ts'
import { dueChannels, enqueueDeliveries, enqueueTest } from './store.ts'
import type { MessageWriter } from './writer.ts'

interface TestChange {
  id: string
  says: string
}
/** Writes each change as the id of its alert and a word. If an alert has ended, its other changes are left out. */
const writer: MessageWriter<TestChange> = {
  fold: (all) =>
    all.filter(({ id, says }) => says === 'ended' || !all.some((other) => other.id === id && other.says === 'ended')),
  write: (_channel, all) => {
    if (all.some(({ says }) => says === 'unwritable')) throw new Error('no such word')
    return written(all.map(({ id, says }) => `${id} ${says}`).join(', '))
  },
  test: (workspace) => written(`test of ${workspace}`),
}
const written = (body: string) => ({ body, text: { title: body, lines: [], url: '', level: null } })
const taken: DeliveryAnswer = { is: 'status', status: 200, retryAfter: undefined, message: 'ok' }
const failed: DeliveryAnswer = { is: 'status', status: 500, retryAfter: undefined, message: 'oops' }
const gone: DeliveryAnswer = { ...failed, status: 410 }
const day = 86_400

onBothEngines('deliveries as rows', (open) => {
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
      await enqueueDeliveries(db, [now], { id, says } as TestChange, w.clock.now())
    }
    const due = async (node = 'a') => (await dueChannels(w.store, { node, now: w.clock.now() })).length
    const claimed = async (node = 'a') => {
      const { claimed: found } = await claimDeliveries(w.store, {
        channelId: channel.id,
        node,
        writer,
        now: w.clock.now(),
        random: 0.5,
      })
      return found ? [{ id: found.row.id, body: found.written.body }] : []
    }
    const ends = (id: string, answer: DeliveryAnswer) =>
      settleDelivery(w.store, id, answer, { now: w.clock.now(), random: 0.5, node: 'a' })
    const rows = (): Promise<AlertDeliveryRow[]> => db.selectFrom('alert_delivery').selectAll().orderBy('seq').execute()
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

  test('a channel that one node serves is left alone by the others for a minute', async () => {
    const { w, tell, due, claimed } = await opened()
    await tell('a')
    await tell('b')
    const both = (await Promise.all([claimed('a'), claimed('b')])).flat()
    expect(both).toHaveLength(1)
    const [winner] = await w.store.db.selectFrom('alert_channel').select('serving_node').execute()
    const other = winner?.serving_node === 'a' ? 'b' : 'a'
    w.clock.pass(59)
    expect([await due(other), await claimed(other)]).toEqual([0, []])
    w.clock.pass(1)
    expect(await claimed(other)).toEqual(both)
  })

  test('a channel stays with its node until the call ends, even if the delivery is ended meanwhile', async () => {
    const { w, tell, claimed, ends } = await opened()
    await tell('a')
    const [called] = await claimed('a')
    await endWaiting(w.store.db, { why: 'restored' }, w.clock.now())
    await tell('b')
    expect(await claimed('b')).toEqual([])
    await ends(called?.id ?? '', taken)
    expect(await claimed('b')).toMatchObject([{ body: 'b opened' }])
  })

  test('a lease that ends later than any lease can is void, since the clock was set back', async () => {
    const { w, tell, claimed } = await opened()
    await tell('a')
    w.clock.pass(3600)
    const first = await claimed('a')
    w.clock.pass(-3600)
    expect(await claimed('b')).toEqual(first)
  })

  test('the leases of an earlier process are void once this process alone has the database', async () => {
    const { w, tell, due, claimed } = await opened()
    await tell('a')
    const first = await claimed('a')
    expect(await due('b')).toBe(0)
    await freeLeases(w.store)
    expect(await claimed('b')).toEqual(first)
  })

  test('a delivery that a node of an earlier version sends keeps its whole channel from the others', async () => {
    const { w, tell, claimed } = await opened()
    await tell('a')
    await tell('b')
    const [old] = await w.store.db.selectFrom('alert_delivery').select('id').orderBy('seq').execute()
    await w.store.db
      .updateTable('alert_delivery')
      .set({ body: JSON.stringify(written('a opened')), leased_until: w.clock.now() + 60_000 })
      .where('id', '=', old?.id ?? '')
      .execute()
    expect(await claimed()).toEqual([])
    w.clock.pass(60)
    expect(await claimed()).toEqual([{ id: old?.id, body: 'a opened' }])
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
      const { w, tell, claimed, ends, rows } = await opened(format)
      await tell('a')
      await tell('b')
      await tell('a', 'ended')
      w.clock.pass(30)
      const bodies: string[] = []
      for (let found = await claimed(); found[0]; found = await claimed()) {
        bodies.push(found[0].body)
        await ends(found[0].id, taken)
      }
      expect(bodies.join(', ')).toBe('b opened, a ended')
      expect(await rows()).toHaveLength(format === 'single' ? 2 : 1)
    },
  )

  test.each<['single' | 'grouped', string]>([
    ['single', 'a ended'],
    ['grouped', 'a ended'],
  ])('an alert that ends after its first message failed is one message (%s)', async (format, body) => {
    const { w, tell, claimed, ends, rows } = await opened(format)
    await tell('a')
    w.clock.pass(30)
    const [first] = await claimed()
    for (let tries = 0; tries < 3; tries++, w.clock.pass(120)) {
      await claimed()
      await ends(first?.id ?? '', failed)
    }
    await tell('a', 'ended')
    w.clock.pass(30)
    const [last] = await claimed()
    expect(last?.body).toBe(body)
    expect(last?.id).not.toBe(first?.id)
    await ends(last?.id ?? '', taken)
    w.clock.pass(day)
    expect(await claimed()).toEqual([])
    expect((await rows()).map(({ id, state, last_answer }) => [id, state, last_answer])).toEqual([
      [first?.id, 'dead', 'Replaced by a newer message.'],
      [last?.id, 'sent', '200: ok'],
    ])
  })

  test('a message that is replaced does not count as given up', async () => {
    const { w, tell, claimed, ends, is } = await opened()
    await tell('a')
    await ends((await claimed())[0]?.id ?? '', failed)
    await tell('a', 'ended')
    await ends((await claimed())[0]?.id ?? '', failed)
    expect(await is()).toMatchObject({ dead: 0, failing_since: w.clock.now() })
  })

  test('an outcome whose words cannot be stored is stored without them', async () => {
    const { tell, claimed, ends, rows } = await opened()
    await tell('a')
    const [sent] = await claimed()
    // Half of a surrogate pair can be stored by neither engine, and a NUL not by PostgreSQL.
    await ends(sent?.id ?? '', { ...taken, message: 'ok \0 \ud83d done' })
    expect(await rows()).toMatchObject([{ state: 'sent', last_answer: '200: ok \ufffd \ufffd done' }])
  })

  test.each(['single', 'grouped'] as const)(
    'a change that cannot be written counts as tried and stops nothing else (%s)',
    async (format) => {
      const { w, tell, claimed, rows } = await opened(format)
      await tell('a', 'unwritable')
      await tell('b')
      w.clock.pass(30)
      expect((await claimed()).map(({ body }) => body)).toEqual(['b opened'])
      const bad = (await rows()).find(({ tries }) => tries > 0)
      expect(bad).toMatchObject({ state: 'waiting', due_at: w.clock.now() + 5000 })
      expect(bad?.last_answer).toContain('cannot write this message: no such word')
    },
  )

  test('a delivery whose changes cannot be read counts as tried', async () => {
    const { w, tell, claimed, rows } = await opened()
    await tell('a')
    await w.store.db.updateTable('alert_delivery').set({ changes: '{' }).execute()
    await tell('b')
    expect((await claimed()).map(({ body }) => body)).toEqual(['b opened'])
    expect(await rows()).toMatchObject([{ tries: 1, state: 'waiting' }, { tries: 0 }])
  })

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

  test('deliveries that were tried for a day count as given up, and keep the answer that they got', async () => {
    const { w, tell, claimed, ends, rows, is } = await opened()
    for (let i = 0; i < 11; i++) await tell(`${i}`)
    for (let [one] = await claimed(); one; [one] = await claimed()) await ends(one.id, failed)
    await tell('never tried')
    w.clock.pass(day)
    expect(await endOldDeliveries(w.store, w.clock.now())).toEqual([(await is()).id])
    expect(await is()).toMatchObject({ enabled: 0, dead: 11 })
    expect((await is()).disabled_why).toContain('500: oops')
    expect(new Set((await rows()).map(({ last_answer }) => last_answer))).toEqual(
      new Set(['500: oops (It could not be sent within 24 hours)', 'It could not be sent within 24 hours.']),
    )
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
    await endOldDeliveries(w.store, w.clock.now())
    expect(await due()).toBe(0)
    expect(await retryGivenUp(w.store.db, first?.id ?? '', w.clock.now())).toBe(true)
    expect(await retryGivenUp(w.store.db, first?.id ?? '', w.clock.now())).toBe(false)
    expect(await claimed()).toEqual([first])
    await endWaiting(w.store.db, { why: 'x' }, w.clock.now())
    w.clock.pass(30 * day)
    await endOldDeliveries(w.store, w.clock.now())
    expect(await rows()).toHaveLength(1)
    w.clock.pass(1)
    await endOldDeliveries(w.store, w.clock.now())
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
    serving_node: null,
    serving_until: null,
    works: null,
  }
  await w.store.db.insertInto('alert_channel').values(row).execute()
  return row
}
