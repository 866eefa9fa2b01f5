import { expect, test } from 'vitest'
import { newPostgresDatabase, openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { openPostgres, type Store } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import type { AlertChange } from '../messages/message.ts'
import { scopeOf } from '../scope.ts'
import { evaluateScope } from './evaluate.ts'

const minute = 60_000
type Reports = 'always' | 'never again' | { until: number; from: number } | { every: number }

interface Scene {
  says: string
  /** When the agent with this number sends reports. Times are minutes since the start. */
  reports: (agent: number) => Reports
  stopped?: 'person' | 'signal'
  /** The period in which the service is down, in minutes since the start. */
  away?: readonly [from: number, to: number]
  /** The error of the service's clock from the 30th minute on, in minutes. */
  jump?: number
  messages: readonly string[] | { max: number }
}

const agents = 50
const gone = (agent: number): Reports => (agent === 0 ? 'never again' : 'always')
const scenes: readonly Scene[] = [
  {
    says: '1 of 50 is killed and started again',
    reports: (agent) => (agent === 0 ? { until: 5, from: 40 } : 'always'),
    messages: ['16.5 alert.opened agent-0', '42 alert.ended agent-0'],
  },
  { says: 'all 50 are killed', reports: () => 'never again', messages: ['11.5 alert.opened north'] },
  { says: 'the service is stopped for 20 minutes', reports: () => 'always', away: [10, 30], messages: [] },
  {
    says: 'a machine shuts down and does not return',
    reports: gone,
    stopped: 'signal',
    messages: ['11.5 alert.opened agent-0'],
  },
  { says: 'a person stops an agent with svc stop', reports: gone, stopped: 'person', messages: [] },
  { says: 'the clock goes ahead by an hour', reports: () => 'always', jump: 60, messages: [] },
  { says: 'the clock goes back by an hour', reports: () => 'always', jump: -60, messages: [] },
  {
    says: 'an agent reports for a minute in every fifteen',
    reports: (agent) => (agent === 0 ? { every: 15 } : 'always'),
    messages: { max: 5 },
  },
]

test.each(scenes)(
  'in an hour, $says: the right messages are sent',
  async ({ reports, stopped, away, jump = 0, messages }) => {
    const w = await newTestWorkspace(await openTestSqlite())
    const ids = await fleet(w, agents)
    await addChannel(w)
    const start = w.clock.now()
    const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
    const said: string[] = []
    for (let at = 0; at < 60 * minute; at += 15_000) {
      const isAway = away && at > away[0] * minute && at < away[1] * minute
      if (away && at === away[1] * minute)
        await w.store.db
          .insertInto('service_away')
          .values({ from_at: start + away[0] * minute, until_at: start + at })
          .execute()
      const now = start + at + (at >= 30 * minute ? jump * minute : 0)
      if (isAway) continue
      const reporting = ids.filter((_, i) => reportsAt(reports(i), at / minute))
      await report(w.store, reporting, now, { stopped: null })
      // The first agent's last report says that the agent was stopped: by a person, or by a signal.
      if (stopped && at === 0) await report(w.store, ids.slice(0, 1), now, { stopped })
      await evaluateScope(w.store, place, { baseUrl: 'https://svc.example.org', now })
      const rows = await w.store.db.selectFrom('alert_delivery').select('changes').orderBy('id').execute()
      for (const { type, subject } of rows
        .slice(said.length)
        .flatMap(({ changes }) => JSON.parse(changes) as AlertChange[]))
        said.push(`${at / minute} ${type} ${subject.name}`)
    }
    if ('max' in messages) expect(said.length, said.join(', ')).toBeLessThanOrEqual(messages.max)
    else expect(said).toEqual(messages)
  },
)

test('1,000 agents that two nodes find offline at once are one message (PostgreSQL)', async () => {
  const url = await newPostgresDatabase()
  const nodes = [openPostgres(url), openPostgres(url)] as const
  const w = await newTestWorkspace(nodes[0])
  await report(w.store, await fleet(w, 1000), w.clock.now(), { stopped: null })
  await addChannel(w)
  const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
  // The agents count as silent after 90 s, and the message is sent ten minutes later.
  for (const seconds of [75, 15, 15, 585, 15, 15]) {
    w.clock.pass(seconds)
    await Promise.all(
      nodes.map((node) => evaluateScope(node, place, { baseUrl: 'https://svc.example.org', now: w.clock.now() })),
    )
  }
  const rows = await w.store.db.selectFrom('alert_delivery').select('changes').execute()
  const changes = rows.flatMap((row) => JSON.parse(row.changes) as AlertChange[])
  expect(changes).toMatchObject([
    { type: 'alert.opened', subject: { kind: 'workspace', name: 'north' }, agents: { of: 1000 } },
  ])
  expect(changes[0]?.agents?.names).toHaveLength(1000)
  for (const node of nodes) await node.close()
})

function reportsAt(reports: Reports, minutes: number): boolean {
  if (reports === 'always' || minutes === 0) return true
  if (reports === 'never again') return false
  return 'every' in reports ? minutes % reports.every < 1 : minutes <= reports.until || minutes >= reports.from
}

async function fleet(w: TestWorkspace, size: number): Promise<string[]> {
  const now = w.clock.now()
  const about = { workspace_id: w.workspace.id, created_at: now, created_by: null, blueprint: null }
  const rows = Array.from({ length: size }, (_, i) => ({
    ...about,
    id: newId(now),
    name: `agent-${i}`,
    token_hash: `${i}`,
  }))
  await w.store.db.insertInto('agent').values(rows).execute()
  return rows.map(({ id }) => id)
}

/** Stores a last report for each of these agents. */
async function report(
  { db }: Store,
  ids: readonly string[],
  now: number,
  { stopped }: { stopped: string | null },
): Promise<void> {
  if (ids.length === 0) return
  const row = {
    received_at: now,
    level: 'ok',
    controls: '[]',
    interval_s: 30,
    reporters: '',
    runs_kept: 0,
    body: '{}',
    stopped,
    signs: '',
  }
  await db
    .insertInto('agent_report')
    .values(ids.map((agent_id) => ({ agent_id, ...row })) as never)
    .onConflict((oc) => oc.column('agent_id').doUpdateSet({ received_at: now, stopped: stopped as never }))
    .execute()
}

async function addChannel(w: TestWorkspace): Promise<void> {
  const now = w.clock.now()
  await w.store.db
    .insertInto('alert_channel')
    .values({
      ...{ id: newId(now), scope: w.workspace.id, workspace_id: w.workspace.id, person_id: null, owner: '' },
      ...{ name: 'ops', kind: 'webhook', format: 'single', enabled: 1, disabled_why: null, shown: '', sealed: '' },
      ...{ created_at: now, created_by_name: 'Ada', last_answer: null, last_at: null, grouped_at: null },
      ...{ failing_since: null, dead: 0 },
    })
    .execute()
}
