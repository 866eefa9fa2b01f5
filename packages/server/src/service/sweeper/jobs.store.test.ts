/** Tests that a job of the sweeper that fails, or one party's part of it, stops no other job and no other party. */
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { type TestLive, testLive } from '../../../testing/service.ts'
import { closing, openTestSqlite } from '../../../testing/stores.ts'
import { addAgent, addWorkspace, newTestWorkspace, type TestAgent } from '../../../testing/test-workspace.ts'
import { ofBlueprint } from '../../../testing/wishes.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { columnsOfWishes } from '../../updates/wishes/kept.ts'
import { createJobs } from './jobs.ts'
import { createSweeper } from './sweeper.ts'

const open = closing(openTestSqlite)
const noAge = () => undefined

interface LogLine {
  job?: string
  item?: string
}

/** A store with two parties, each a workspace with an agent, and what a sweeper of this store needs and logs. */
async function start() {
  const w = await newTestWorkspace(await open())
  const south = await addWorkspace(w.store, 'south', true, w.clock.now())
  const agents = [w.agent, await addAgent(w.store, south.id, 'other', w.clock.now())] as [TestAgent, TestAgent]
  const lines: LogLine[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const live = testLive()
  const deps = { store: w.store, live, log, now: w.clock.now }
  return { ...w, w, agents, lines, live, deps, jobs: createJobs(deps, noAge) }
}
type Started = Awaited<ReturnType<typeof start>>

test('a job that fails stops no other job, and is logged once while it fails', async () => {
  const { deps, jobs, clock, lines } = await start()
  for (const failing of jobs) {
    const ran: string[] = []
    const all = jobs.map((job) => ({
      ...job,
      async run() {
        ran.push(job.name)
        if (job === failing) throw new Error('broken')
      },
    }))
    const { sweep } = createSweeper(deps, noAge, { check: async () => {} }, all)
    await sweep()
    expect(ran).toEqual(jobs.map(({ name }) => name))
    await sweep()
    expect(lines.splice(0)).toMatchObject([{ job: failing.name }])
    expect(ran.filter((name) => name === failing.name)).toHaveLength(2)
    clock.pass(dayMs / 1000)
    await sweep()
    expect(ran.filter((name) => name === jobs.at(-1)?.name).length).toBeGreaterThan(1)
    lines.splice(0)
  }
})

/** Something that two parties have, and that one of them cannot get done. */
interface PartsOfJob {
  /** Gives work to both parties with these ids. The database then refuses the work for the one with the index `bad`. */
  fill: (s: Started, bad: number) => Promise<{ ids: readonly [string, string]; refuses: Refusal }>
  /** The ids of the parties whose work is not done. */
  left: (s: Started) => Promise<string[]>
  /** The agents or lists that pages must learn of, by party. */
  heard?: (s: Started) => readonly [string, string]
}
type Refusal = readonly [event: 'insert' | 'update' | 'delete', table: string, column: string]

const rows = async (s: Started, query: ReturnType<typeof sql<{ id: string }>>): Promise<string[]> =>
  (await query.execute(s.store.db)).rows.map(({ id }) => id)
const byAda = { created_by: null, created_by_name: 'Ada' }
const two = ['a', 'b'] as const

const insertActions = async ({ store, agents }: Started, values: object): Promise<void> => {
  for (const [i, id] of two.entries())
    await store.db
      .insertInto('action')
      .values({
        ...{ id, workspace_id: agents[i]?.workspaceId ?? '', type: 'pause', payload: '{}', state: 'queued' },
        ...{ created_at: 1, counts: '{}', open_agents: 0, ...byAda, ...values },
      } as never)
      .execute()
}
const insertRollouts = async ({ store, agents }: Started, values: object): Promise<void> => {
  for (const [i, id] of two.entries())
    await store.db
      .insertInto('rollout')
      .values({
        ...{ id, workspace_id: agents[i]?.workspaceId ?? '', kind: 'runtime', version: '1', waves: '[]', by_hand: 0 },
        ...{ watch_seconds: 1, wave: 1, created_at: 1, changed_at: 1, ...byAda, ...values },
      } as never)
      .execute()
}
const agentIds = ({ agents }: Started) => [agents[0].id, agents[1].id] as const
const workspaceIds = ({ agents }: Started) => [agents[0].workspaceId, agents[1].workspaceId] as const

/** For each job that works for one party after another: how one party's part fails. The others are null. */
const parts: Record<string, PartsOfJob | null> = {
  'timeouts of commands': null,
  actions: {
    async fill(s) {
      await insertActions(s, { state: 'queuing', created_at: s.clock.now() })
      return { ids: two, refuses: ['update', 'action', 'id'] }
    },
    left: (s) => rows(s, sql`select id from action where state = 'queuing'`),
  },
  outages: null,
  trials: {
    async fill(s) {
      const wish = { version: '2', at: 1, by: 'Ada', mark: null, rollout: 'r' }
      const { report } = reporting(s.w)
      for (const agent of s.agents) {
        await report({}, { agent })
        const columns = columnsOfWishes({ runtime: wish })
        await s.store.db.updateTable('agent').set(columns).where('id', '=', agent.id).execute()
      }
      return { ids: agentIds(s), refuses: ['update', 'agent', 'id'] }
    },
    left: (s) => rows(s, sql`select id from agent where runtime_granted_at is null`),
    heard: agentIds,
  },
  'expired logs': null,
  'old rollouts': {
    async fill(s) {
      await insertRollouts(s, { state: 'done' })
      return { ids: two, refuses: ['delete', 'rollout', 'id'] }
    },
    left: (s) => rows(s, sql`select id from rollout`),
  },
  'old actions': {
    async fill(s) {
      await insertActions(s, {})
      return { ids: two, refuses: ['delete', 'action', 'id'] }
    },
    left: (s) => rows(s, sql`select id from action`),
  },
  'counts of actions': {
    async fill(s) {
      await insertActions(s, { created_at: s.clock.now() })
      for (const action_id of two)
        await s.store.db.insertInto('action_change').values({ action_id, was: 'waiting', became: 'sent' }).execute()
      return { ids: two, refuses: ['update', 'action', 'id'] }
    },
    left: (s) => rows(s, sql`select distinct action_id as id from action_change`),
  },
  'deleted workspaces': {
    async fill(s) {
      for (const workspace_id of workspaceIds(s))
        await s.store.db
          .insertInto('workspace_deleted')
          .values({ workspace_id, deleted_at: 1 } as never)
          .execute()
      return { ids: workspaceIds(s), refuses: ['delete', 'workspace', 'id'] }
    },
    left: (s) => rows(s, sql`select id from workspace`),
  },
  histories: {
    async fill(s) {
      const sums = { day: 1, model: 'm', runs: 1, cost_micro: 1, output_tokens: 1 }
      for (const agent_id of agentIds(s))
        await s.store.db
          .insertInto('usage_day')
          .values({ agent_id, ...sums })
          .execute()
      return { ids: agentIds(s), refuses: ['delete', 'usage_day', 'agent_id'] }
    },
    left: (s) => rows(s, sql`select agent_id as id from usage_day`),
  },
  activity: {
    async fill(s) {
      for (const id of two)
        await sql`insert into audit (id, at, actor_id, actor, action, subject, details)
          with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 11001)
          select ${id} || n, n, ${sql.lit(id)}, 'Ada', 'person.renamed', '', '{}' from numbers`.execute(s.store.db)
      return { ids: two, refuses: ['delete', 'audit', 'actor_id'] }
    },
    left: (s) => rows(s, sql`select actor_id as id from audit group by actor_id having count(*) > 11000`),
  },
  surplus: {
    async fill(s) {
      for (const id of workspaceIds(s))
        await sql`insert into alert_mute (id, scope, workspace_id, from_at, created_at, created_by_name, ended_at)
          with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1001)
          select ${id} || n, ${sql.lit(id)}, ${sql.lit(id)}, 1, 1, 'Ada', 1 from numbers`.execute(s.store.db)
      return { ids: workspaceIds(s), refuses: ['delete', 'alert_mute', 'scope'] }
    },
    left: (s) => rows(s, sql`select scope as id from alert_mute group by scope having count(*) > 1000`),
  },
  'ended access': {
    async fill(s, bad) {
      const link = { hash: 'link', purpose: 'sign_in', person_id: null, created_at: 1, expires_at: 1 } as const
      await s.store.db.insertInto('link').values(link).execute()
      await s.store.db.insertInto('passkey_challenge').values({ hash: 'challenge', expires_at: 1 }).execute()
      return { ids: ['link', 'challenge'], refuses: ['delete', bad === 0 ? 'link' : 'passkey_challenge', 'hash'] }
    },
    left: (s) => rows(s, sql`select hash as id from link union all select hash from passkey_challenge`),
  },
  'old names': null,
  'old sums': null,
  'old versions': null,
  rollouts: {
    async fill(s) {
      await insertRollouts(s, { state: 'running' })
      return { ids: two, refuses: ['update', 'rollout', 'id'] }
    },
    left: (s) => rows(s, sql`select id from rollout where state = 'running'`),
    heard: workspaceIds,
  },
  versions: {
    async fill(s) {
      for (const agent of s.agents) await ofBlueprint(s.w, agent, 'triage', '1.0.0')
      return { ids: workspaceIds(s), refuses: ['insert', 'version_day', 'workspace_id'] }
    },
    left: (s) => rows(s, sql`select id from workspace where id not in (select workspace_id from version_day)`),
  },
}

test('each job has its line in the table', async () => {
  const { jobs } = await start()
  expect(Object.keys(parts)).toEqual(jobs.map(({ name }) => name))
})

const cases = Object.entries(parts).flatMap(([job, part]) => (part ? [0, 1].map((bad) => ({ job, part, bad })) : []))

test.each(cases)('$job: if the work for party $bad fails, the other one has its turn', async ({ job, part, bad }) => {
  const s = await start()
  const { ids, refuses } = await part.fill(s, bad)
  const good = 1 - bad
  await refuse(s, refuses, ids[bad] ?? '')
  const { sweep } = createSweeper(s.deps, noAge)
  await sweep()
  expect(await part.left(s)).toEqual([ids[bad]])
  const heard = part.heard?.(s)[good]
  if (heard !== undefined) expect(heardOf(s.live)).toEqual([heard])
  await sweep()
  expect(s.lines).toMatchObject([{ job, item: expect.any(String) }])
})

const heardOf = ({ heard }: TestLive) =>
  heard.map(({ what, workspaceId, agentId }) => (what === 'list' ? workspaceId : agentId))

/** Lets the database refuse a kind of change of the rows in which a column has this value. */
async function refuse(s: Started, [event, table, column]: Refusal, value: string): Promise<void> {
  const row = event === 'insert' ? 'new' : 'old'
  await sql`create trigger refused before ${sql.raw(event)} on ${sql.table(table)}
    when ${sql.ref(`${row}.${column}`)} = ${sql.lit(value)} begin select raise(abort, 'refused'); end`.execute(
    s.store.db,
  )
}
