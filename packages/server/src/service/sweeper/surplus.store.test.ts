import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testLive } from '../../../testing/service.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { liftMute, muteAlerts } from '../../alerts/changes/muting.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { erasedAtOnce, eraseSurplus, type Surplus, surplus } from './surplus.ts'
import { createSweeper } from './sweeper.ts'

type Row = Record<string, unknown>
interface Filled {
  row: (w: TestWorkspace) => Row
  /** The columns of a row that is over, and of one that is not; null if every row of the table is over. */
  over: Row
  open: Row | null
  /** The columns that differ in a row that somebody else made. */
  others: (w: TestWorkspace) => Row
  /** A part of the row with this id. */
  part?: (id: string, w: TestWorkspace) => Row
}

const by = { created_by: null, created_by_name: 'Ada' }
const rows: Record<keyof typeof surplus, Filled> = {
  action: {
    row: ({ workspace }) => ({
      workspace_id: workspace.id,
      type: 'pause',
      payload: '{}',
      state: 'queued',
      created_at: 1,
      ...by,
    }),
    over: { open_agents: 0 },
    open: { open_agents: 1 },
    others: ({ admin }) => ({ created_by: admin.id }),
    part: (id) => ({
      action_id: id,
      agent_id: 'x',
      name: 'x',
      command_id: null,
      outcome: null,
      message: null,
      shared: 0,
    }),
  },
  alert_delivery: {
    row: () => ({ channel_id: 'c', kind: 'test', changes: '[]', tries: 1, created_at: 1 }),
    over: { state: 'sent', ended_at: 1 },
    open: { state: 'waiting', due_at: 1 },
    others: () => ({ kind: 'alert' }),
  },
  alert_mute: {
    row: ({ workspace }) => ({ scope: workspace.id, workspace_id: workspace.id, from_at: 1, created_at: 1, ...by }),
    over: { ended_at: 1 },
    open: { ended_at: null },
    others: ({ admin }) => ({ created_by: admin.id }),
  },
  install_code: {
    row: ({ workspace }) => ({
      ...{ workspace_id: workspace.id, blueprint: 'b', version: '1', sha256: '', bindings: '[]', agent_name: 'x' },
      ...{ issued_by_name: 'Ada', issued_at: 1, expires_at: Number.MAX_SAFE_INTEGER },
    }),
    over: { revoked_at: 1 },
    open: { revoked_at: null },
    others: ({ admin }) => ({ issued_by: admin.id }),
  },
  log: {
    row: ({ agent }) => ({ agent_id: agent.id, name: 'work', received_at: 1, bytes: 1, text: 'x', expires_at: 2 }),
    over: {},
    open: null,
    others: () => ({}), // the log has no author; the author of its command counts
  },
  rollout: {
    row: ({ workspace }) => ({
      ...{ workspace_id: workspace.id, kind: 'runtime', version: '1', waves: '[]', by_hand: 0, watch_seconds: 1 },
      ...{ wave: 1, created_at: 1, changed_at: 1, ...by },
    }),
    over: { state: 'cancelled' },
    open: { state: 'paused' },
    others: ({ admin }) => ({ created_by: admin.id }),
    part: (id, { agent }) => ({ rollout_id: id, agent_id: agent.id, wave: 1, state: 'pending', forgiven: 0 }),
  },
}

onEveryEngine('rows that are over', (open) => {
  test.each(Object.entries(rows))(
    'of %s: the newest of each person stay, and those that are not over',
    async (name, filled) => {
      const w = await newTestWorkspace(await open())
      const table = name as keyof typeof surplus
      const { max, parts: partsOf }: Surplus = surplus[table]
      const parts = partsOf?.[0]
      const ids = Array.from({ length: max + 6 }, (_, i) => `r${String(i).padStart(5, '0')}`)
      if (table === 'alert_delivery') await addChannel(w)
      if (table === 'log') await insert(w, 'command', [answeredCommand('1', w)])
      const made = ids.map((id, i) => ({
        ...{
          id,
          ...filled.row(w),
          ...(i === 0 && filled.open ? filled.open : filled.over),
          ...(i === 1 && filled.others(w)),
        },
        ...(table === 'install_code' && { hash: `${i}` }),
        ...(table === 'log' && { command_id: `${i}` }),
      }))
      await insert(w, table, made)
      if (parts && filled.part)
        await insert(
          w,
          parts,
          ids.slice(0, 8).map((id) => filled.part?.(id, w) ?? {}),
        )
      const left = async () =>
        (await w.store.db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id)
      await eraseSurplus(w.store.db, w.clock.now())
      const newest = [ids[1], ...ids.slice(7)]
      expect(await left()).toEqual(filled.open ? ['r00000', ...newest] : newest)
      if (parts) expect(await w.store.db.selectFrom(parts).selectAll().execute()).toHaveLength(3)
      await eraseSurplus(w.store.db, w.clock.now())
      expect(await left()).toHaveLength(filled.open ? max + 1 : max)
    },
  )

  test('however many there are, round after round erases them without waiting for the next ten minutes', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const deps = { store: w.store, live: testLive(), log: pino({ level: 'silent' }), now: w.clock.now }
    const { sweep } = createSweeper(deps, () => undefined)
    const { max } = surplus.alert_mute
    const all = 2 * erasedAtOnce + max
    await sql`insert into alert_mute (id, scope, workspace_id, from_at, created_at, created_by_name, ended_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(all)})
      select 'm' || n, ${w.workspace.id}, ${w.workspace.id}, 1, 1, 'Ada', 1 from numbers`.execute(db)
    const left = async () =>
      Number(
        (
          await db
            .selectFrom('alert_mute')
            .select(({ fn }) => fn.countAll().as('n'))
            .executeTakeFirst()
        )?.n,
      )
    const counts: number[] = []
    for (let i = 0; i < 3; i++) {
      w.clock.pass(3)
      await sweep()
      counts.push(await left())
    }
    expect(counts).toEqual([all - erasedAtOnce, max, max])
  })

  test('a member who mutes and lifts without end fills neither the mutes nor the activity', async () => {
    const w = await newTestWorkspace(await open())
    const ctx = () => ({ db: w.store.db, by: w.admin, now: w.clock.now(), role: 'member' as const })
    const evidence = { at: 1, actor_id: w.admin.id, actor: 'Ada', action: 'agent.token_rotated', subject: 'agent x' }
    await insert(w, 'audit', [{ id: 'e', workspace_id: w.workspace.id, details: '{}', ...evidence }])
    for (let i = 0; i < 60; i++) {
      const muted = await muteAlerts(ctx(), w.workspace, { agent: w.agent.name, seconds: 3600 + i })
      if (!muted.ok) throw new Error(muted.message)
      await liftMute(ctx(), w.workspace, muted.value.id)
      w.clock.pass(0.5)
    }
    const lines = await w.store.db
      .selectFrom('audit')
      .select(['action', 'details'])
      .orderBy('at')
      .orderBy('id')
      .execute()
    const of = (action: string) =>
      lines.filter((line) => line.action === action).map(({ details }) => JSON.parse(details))
    for (const action of ['alert.muted', 'alert.unmuted']) {
      expect(of(action)).toHaveLength(10)
      expect(of(action).reduce((sum, { times = 1 }) => sum + times, 0)).toBe(60)
    }
    expect(lines[0]?.action).toBe('agent.token_rotated')
  })
})

async function insert({ store: { db } }: TestWorkspace, table: keyof Tables, all: readonly Row[]): Promise<void> {
  for (let i = 0; i < all.length; i += 500)
    await db
      .insertInto(table)
      .values(all.slice(i, i + 500) as never)
      .execute()
}

const answeredCommand = (id: string, { agent, admin }: TestWorkspace): Row => ({
  ...{ id, agent_id: agent.id, type: 'log', payload: '{}', state: 'applied', created_at: 1 },
  ...{ created_by: admin.id, created_by_name: 'Ada' },
})

const addChannel = (w: TestWorkspace) =>
  insert(w, 'alert_channel', [
    {
      ...{ id: 'c', scope: w.workspace.id, workspace_id: w.workspace.id, owner: '', name: 'c', kind: 'webhook' },
      ...{ format: 'single', enabled: 1, shown: '', sealed: '', created_at: 1, created_by_name: 'Ada', dead: 0 },
    },
  ])
