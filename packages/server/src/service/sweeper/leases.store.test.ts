import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { takeLease } from '../../alerts/evaluation/lease.ts'
import { claimMail, queueMail } from '../../people/mails/queue.ts'
import { freeLeases, storedTimes } from './stored-times.ts'

const leases = Object.entries(storedTimes).flatMap(([table, columns]) =>
  Object.entries(columns).flatMap(([column, rule]) => (rule.is === 'lease' ? [`${table}.${column}`] : [])),
)

onBothEngines('leases of a process that was killed', (open) => {
  test('the start frees the leases of evaluation, mails, channels and deliveries', async () => {
    const { store, clock, workspace } = await newTestWorkspace(await open())
    const { db } = store
    const now = clock.now()
    expect(await takeLease(db, 'killed', now)).toBe(true)
    await queueMail(db, { kind: 'invitation', invitation: 'i' }, now)
    const { id } = await db.selectFrom('account_mail').select('id').executeTakeFirstOrThrow()
    await claimMail(store, id, now)
    const channel = {
      id: 'c',
      scope: workspace.id,
      workspace_id: workspace.id,
      owner: '',
      name: 'ops',
      kind: 'webhook',
    }
    const more = {
      format: 'single',
      enabled: 1,
      shown: '',
      sealed: '',
      created_at: now,
      created_by_name: 'Ada',
      dead: 0,
    }
    const serving = { serving_node: 'killed', serving_until: now + 60_000 }
    await db
      .insertInto('alert_channel')
      .values({ ...channel, ...more, ...serving } as never)
      .execute()
    const delivery = { id: 'd', channel_id: 'c', kind: 'alert', state: 'waiting', tries: 0, created_at: now }
    const waiting = { changes: '[]', due_at: now, leased_until: now + 60_000, seq: 1 }
    await db
      .insertInto('alert_delivery')
      .values({ ...delivery, ...waiting } as never)
      .execute()
    const held = async () => {
      const found: string[] = []
      for (const lease of leases) {
        const [table = '', column = ''] = lease.split('.')
        const rows = await sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} > ${now}`.execute(db)
        if (rows.rows.length > 0) found.push(lease)
      }
      return found
    }
    // A new lease needs a row above.
    expect((await held()).toSorted()).toEqual(leases.toSorted())
    await freeLeases(store)
    expect(await held()).toEqual([])
    expect(await takeLease(db, 'started', now)).toBe(true)
    expect(await claimMail(store, id, now)).toBeDefined()
  })
})
