/**
 * Compares the states that the queries give with an obvious model, in random histories of reports, pauses, stops and
 * outages of the service.
 */
import type { PastAgentState, StateSpan } from '@svc/api'
import type { Level, StoppedBy } from '@svc/protocol'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { randomOf } from '../../../../protocol/testing/mutate.ts'
import { reporting, submission } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestAgent, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { deleteAgent, renameAgent } from '../../fleet/agents/store.ts'
import { readHistoryChanges } from './changes.ts'
import { fleetAt } from './fleet-states.ts'
import { agentStates } from './states.ts'
import { readStrips } from './strips.ts'
import { agentTrend } from './trend.ts'

interface Told {
  at: number
  interval: number
  level: Level | null
  label: string
  stopped: StoppedBy | null
}
interface Outage {
  from: number
  until: number
}
interface Past {
  reports: Told[]
  outages: Outage[]
  start: number
  end: number
}

const second = 1000
const isPaused = ({ label }: Told) => label === 'Paused'

/** The state at a time, by the definition: found by looking through everything that happened before. */
function stateAt({ reports, outages }: Past, at: number): Pick<StateSpan, 'is' | 'level' | 'label'> {
  const told = reports.filter((report) => report.at <= at)
  const last = told.at(-1)
  if (!last || outages.some(({ from, until }) => from <= at && at < until))
    return { is: 'unknown', level: null, label: null }
  let shown: Told | undefined
  for (const [i, report] of told.entries()) {
    if (report.level === null) continue
    const before = told[i - 1]
    if (report.level !== before?.level || !shown || isPaused(report) !== isPaused(before)) shown = report
  }
  let silent = last.at + Math.max(90, 3 * last.interval) * second
  // The time for a report after an outage follows the interval that the agent has now.
  const grace = Math.max(90, 3 * (reports.at(-1)?.interval ?? 0)) * second
  for (const { from, until } of outages) if (from < silent && silent <= until) silent = until + grace
  const is =
    last.stopped !== null ? 'stopped' : at >= silent ? 'offline' : shown && isPaused(shown) ? 'paused' : 'reporting'
  return { is, level: shown?.level ?? null, label: shown?.label ?? null }
}

/** Plays a random history of one agent, and returns what happened. */
async function play(w: TestWorkspace, agent: TestAgent, seed: number, back = false): Promise<Past> {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const nodes = [reporting(w), reporting(w)] as const
  const past: Past = { reports: [], outages: [], start: w.clock.now(), end: 0 }
  const wait = (most: number) => w.clock.pass(1 + Math.floor(random() * most))
  wait(300)
  let interval = 30
  for (let i = 0; i < 14; i++) {
    const fate = random()
    if (fate < 0.15) {
      const from = w.clock.now()
      wait(3000)
      await w.store.db.insertInto('service_away').values({ from_at: from, until_at: w.clock.now() }).execute()
      past.outages.push({ from, until: w.clock.now() })
    }
    if (back && fate > 0.8) w.clock.pass(-Math.floor(random() * 1000))
    wait(pick([20, 40, 200, 2000]))
    interval = random() < 0.7 ? interval : pick([5, 30, 60, 300])
    const level = pick<Level | null>(['ok', 'ok', 'info', 'warn', 'bad', null])
    const label = pick(['Idle', 'Busy', 'Paused'])
    const stopped = random() < 0.1 ? pick<StoppedBy>(['person', 'signal']) : null
    const parts = { ...(level && { state: { level, label } }), ...(stopped && { stopped }) }
    const node = pick(nodes)
    await node.store([{ ...submission(w, parts, { agent }), interval }], w.clock.now(), node.deliveries.age)
    past.reports.push({ at: w.clock.now(), interval, level, label: level ? label : '', stopped })
  }
  wait(1000)
  if (back) w.clock.pass(14_000)
  past.end = w.clock.now()
  return past
}

/** The times around which something changes, and those between. */
function timesOf({ reports, outages, start, end }: Past): number[] {
  const near = [
    ...reports.flatMap(({ at, interval }) => [at, at + 90 * second, at + interval * 3 * second]),
    ...outages.flatMap(({ from, until }) => [from, until, ...[90, 180, 900].map((grace) => until + grace * second)]),
  ]
  return near.flatMap((at) => [at - 1, at, at + 1]).filter((at) => at >= start && at < end)
}

function expectWhole(spans: readonly StateSpan[], since: number, until: number, what: string): void {
  expect([spans[0]?.from, spans.at(-1)?.until], what).toEqual([since, until])
  for (const [i, span] of spans.entries()) {
    expect(span.from, what).toBeLessThan(span.until)
    const next = spans[i + 1]
    if (!next) continue
    expect(next.from, what).toBe(span.until)
    expect([next.is, next.level, next.label], what).not.toEqual([span.is, span.level, span.label])
  }
}

/** The entries that the spans of an agent demand: at each beginning and end of a pause and of a time offline. */
function demanded(spans: readonly StateSpan[]): [at: number, what: string, to: boolean][] {
  const isAway = ({ is }: StateSpan) => is === 'offline' || is === 'stopped'
  const found: [number, string, boolean][] = []
  for (const [i, span] of spans.entries()) {
    const before = spans[i - 1]
    // An outage hides how the time before it ended.
    if (!before || before.is === 'unknown' || span.is === 'unknown') continue
    if (isAway(before) !== isAway(span)) found.push([span.from, 'offline', isAway(span)])
    else if (!isAway(span) && before.is !== span.is) found.push([span.from, 'paused', span.is === 'paused'])
  }
  return found
}

const at = (spans: readonly StateSpan[], time: number) => spans.find(({ from, until }) => from <= time && time < until)

onEveryEngine('the states of an agent', (open) => {
  test('are those of an obvious model, without gap and overlap', { timeout: 900_000 }, async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { db } = w.store
    const seen = new Set<string>()
    for (let seed = 1; seed <= byLevel(15, 1000, 1000); seed++) {
      const agent = await w.addAgent(`agent-${seed}`)
      const past = await play(w, agent, seed)
      const spans = await agentStates(db, agent, { since: past.start, until: past.end, now: past.end })
      expectWhole(spans, past.start, past.end, `seed ${seed}`)
      for (const time of timesOf(past))
        expect(at(spans, time), `seed ${seed} at ${time}`).toMatchObject(stateAt(past, time))
      const middle = Math.floor((past.start + past.end) / 2)
      const later = await agentStates(db, agent, { since: middle, until: past.end, now: past.end })
      expectWhole(later, middle, past.end, `seed ${seed}`)
      expect(later[0], `seed ${seed}`).toMatchObject(stateAt(past, middle))
      for (const { is } of spans) seen.add(is)
      const row = await db.selectFrom('agent').selectAll().where('id', '=', agent.id).executeTakeFirstOrThrow()
      const changes = await readHistoryChanges(db, row, {
        since: past.start,
        until: past.end,
        now: past.end,
        limit: 1000,
      })
      const listed = changes.map(({ at, what, to }) => [at, what, to])
      for (const entry of demanded(spans)) expect(listed, `seed ${seed}`).toContainEqual(entry)
      const trend = await agentTrend(db, agent, 1, past.end)
      for (const name of ['bad', 'paused', 'offline', 'stopped'] as const) {
        const told = trend.time.reduce((sum, shares) => sum + shares[name], 0)
        const span = spans.filter(({ is, level }) => (is === 'reporting' ? level : is) === name)
        const whole = span.reduce((sum, { from, until }) => sum + until - from, 0) / second
        expect(told, `seed ${seed}: ${name}`).toBeCloseTo(whole, 1)
      }
      if (seed % 15 === 0) {
        const { is, level, label } = stateAt(past, middle)
        const found = (await fleetAt(db, w.workspace, { at: middle, now: w.clock.now() })).filter(
          ({ name }) => name === agent.name,
        )
        expect(found, `seed ${seed}`).toEqual(is === 'unknown' ? [] : [{ name: agent.name, is, level, label }])
      }
    }
    expect([...seen].sort()).toEqual(['offline', 'paused', 'reporting', 'stopped', 'unknown'])
  })

  test('have no gap and no overlap after the clock went back', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    for (let seed = 1; seed <= byLevel(5, 100, 100); seed++) {
      const agent = await w.addAgent(`agent-${seed}`)
      const { start, end } = await play(w, agent, seed, true)
      expectWhole(
        await agentStates(w.store.db, agent, { since: start, until: end, now: end }),
        start,
        end,
        `seed ${seed}`,
      )
    }
  })

  test('of rows that a node of the version before wrote are known by their labels', async () => {
    const w = await newTestWorkspace(await open())
    const start = w.clock.now()
    const rows = [
      { at: start, level: 'ok' as const, label: 'Idle' },
      { at: start + 1000, level: 'info' as const, label: 'Paused' },
    ]
    await w.store.db
      .insertInto('level_change')
      .values(rows.map((row) => ({ agent_id: w.agent.id, ...row })))
      .execute()
    await w.store.db.updateTable('agent').set({ first_report_at: start }).execute()
    expect(
      await agentStates(w.store.db, w.agent, { since: start - 500, until: start + 2000, now: start + 2000 }),
    ).toEqual([
      { from: start - 500, until: start, is: 'unknown', level: null, label: null },
      { from: start, until: start + 1000, is: 'reporting', level: 'ok', label: 'Idle' },
      { from: start + 1000, until: start + 2000, is: 'paused', level: 'info', label: 'Paused' },
    ])
  })

  test('are found by an index of agent, time and number', async () => {
    const { engine, db } = await open()
    const { rows } =
      engine === 'sqlite'
        ? await sql<{ name: string }>`select name from pragma_index_info('level_change_of_agent')`.execute(db)
        : await sql<{ name: string }>`select a.attname as name from pg_attribute a
            where a.attrelid = 'level_change_of_agent'::regclass order by a.attnum`.execute(db)
    expect(rows.map(({ name }) => name)).toEqual(['agent_id', 'at', 'seq'])
  })

  test('changes from the moment of a row on are those since the row before it', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const agent = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    const start = w.clock.now()
    const row = { agent_id: agent.id, label: null, paused: 0 }
    await db
      .insertInto('level_change')
      .values([
        { ...row, at: start, level: 'warn' },
        { ...row, at: start + 60_000, level: 'bad' },
      ])
      .execute()
    const asked = { since: start + 60_000, until: start + 120_000, limit: 10, now: start + 120_000 }
    const changes = await readHistoryChanges(db, agent, asked)
    expect(changes.map(({ what, from, to }) => [what, from, to])).toEqual([['level', 'warn', 'bad']])
  })

  test('changes have an entry for every kind of row, and alerts about many agents follow a new name', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const { report } = reporting(w)
    const start = w.clock.now()
    const run = (id: string, status: string) => ({ id, started: start / 1000, ended: start / 1000 + 1, status })
    await report({ state: { level: 'ok', label: 'Idle' } })
    w.clock.pass(10)
    await report({ runs: [run('one', 'failed'), run('two', 'odd')] })
    const at = (seconds: number) => start + seconds * second
    const about = { agent_id: w.agent.id }
    const changed = { ...about, kind: 'setting', key: 'every', before: '5', after: '10' } as const
    await db
      .insertInto('machine_change')
      .values([
        { ...changed, at: at(1) },
        { ...about, at: at(2), kind: 'version', key: null, before: '"1.0.0"', after: '"1.1.0"' },
      ])
      .execute()
    const update = { subject: 'blueprint', kind: 'kept', version: '1.1.0', from_version: '1.0.0' } as const
    const rest = { message: null, by_name: null, since: null }
    await db
      .insertInto('update_event')
      .values({ ...about, ...update, ...rest, at: at(3), rollout_id: 'r-1' })
      .execute()
    const alert = {
      ...({
        scope: w.workspace.id,
        workspace_id: w.workspace.id,
        level: 'bad',
        phase: 'open',
        subject_name: 'x',
      } as const),
      ...({
        phase_since: 0,
        since: at(4),
        openings: '[]',
        told: 'open',
        reminders: 0,
        frozen: 0,
        muted: 0,
        version: 1,
      } as const),
      ...{ opened_at: at(4), ended_at: at(5) },
    } as const
    const own = { ...alert, rule: 'bad', subject_kind: 'agent' } as const
    const ofMany = { ...alert, rule: 'silent', subject_kind: 'workspace', subject_id: w.workspace.id } as const
    await db
      .insertInto('alert')
      .values([
        { ...own, id: 'a-1', subject_id: w.agent.id, agents: null },
        { ...ofMany, id: 'a-2', agents: JSON.stringify({ names: ['other', w.agent.name] }) },
        { ...own, id: 'a-3', subject_id: 'of-another-agent', agents: null },
      ])
      .execute()
    await db
      .insertInto('service_away')
      .values({ from_at: at(6), until_at: at(7) })
      .execute()
    await db
      .insertInto('service_away')
      .values({ from_at: at(-9), until_at: at(-8) })
      .execute()
    await renameAgent({ db, by: w.admin, now: w.clock.now() }, w.agent, 'new-name')
    const listed = async () => {
      const row = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
      const asked = { since: at(-60), until: w.clock.now(), now: w.clock.now(), limit: 100 }
      return (await readHistoryChanges(db, row, asked)).map((entry) => [
        (entry.at - start) / second,
        ...[entry.what, entry.from, entry.to, entry.text, entry.id],
      ])
    }
    const failed = [1, 'run', null, 'failed', 'one', 'one']
    const others = [
      [0, 'level', null, 'ok', 'Idle', null],
      [1, 'setting', 5, 10, 'every', null],
      [2, 'version', '1.0.0', '1.1.0', null, null],
      [3, 'update', '1.0.0', '1.1.0', 'blueprint kept', 'r-1'],
      [4, 'alert', null, 'open', 'bad', 'a-1'],
      [4, 'alert', null, 'open', 'silent', 'a-2'],
      [5, 'alert', 'open', 'ended', 'bad', 'a-1'],
      [5, 'alert', 'open', 'ended', 'silent', 'a-2'],
      [6, 'service', false, true, null, null],
      [7, 'service', true, false, null, null],
    ]
    expect(new Set(await listed())).toEqual(new Set([...others, failed]))
    const statuses = async (...all: string[]) => {
      await db.deleteFrom('alert_rule').execute()
      const rule = { scope: w.workspace.id, workspace_id: w.workspace.id, rule: 'run_failed' } as const
      await db
        .insertInto('alert_rule')
        .values({ ...rule, statuses: JSON.stringify(all) })
        .execute()
    }
    await statuses('odd')
    expect(new Set(await listed())).toEqual(new Set([...others, [1, 'run', null, 'odd', 'two', 'two']]))
    await statuses()
    expect(new Set(await listed())).toEqual(new Set(others))
  })

  test('a run that failed is listed at its end only', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const { report } = reporting(w)
    const start = w.clock.now()
    w.clock.pass(600)
    const run = { id: 'r', started: start / 1000, ended: start / 1000 + 500, status: 'failed' }
    await report({ runs: [run] })
    const agent = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    const runs = async (until: number) => {
      const changes = await readHistoryChanges(db, agent, { since: start, until, limit: 10, now: w.clock.now() })
      return changes.flatMap(({ at, what }) => (what === 'run' ? [at - start] : []))
    }
    expect(await runs(start + 100_000)).toEqual([])
    expect(await runs(w.clock.now())).toEqual([500_000])
  })

  test('an agent that reports every five minutes has fifteen for its next report after an outage', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const [node, minute] = [reporting(w), 60_000]
    const start = w.clock.now()
    const report = async (interval: number) =>
      node.store([{ ...submission(w, { state: { level: 'ok' } }), interval }], w.clock.now(), node.deliveries.age)
    await report(300)
    const away = { from_at: start + minute, until_at: start + 30 * minute }
    await db.insertInto('service_away').values(away).execute()
    const states = async (now: number) =>
      (await agentStates(db, w.agent, { since: away.until_at, until: now, now })).map(({ from, is }) => [
        (from - start) / minute,
        is,
      ])
    expect(await states(start + 44 * minute)).toEqual([[30, 'reporting']])
    expect(await states(start + 46 * minute)).toEqual([
      [30, 'reporting'],
      [45, 'offline'],
    ])
    expect(
      (
        await agentStates(db, w.agent, {
          since: start + 44 * minute,
          until: start + 46 * minute,
          now: start + 46 * minute,
        })
      ).map(({ is }) => is),
    ).toEqual(['reporting', 'offline'])
  })

  test('an agent is offline by the interval before its silence, whatever interval its next report has', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const node = reporting(w)
    const start = w.clock.now()
    for (const [after, interval] of [
      [0, 30],
      [800, 300],
      [800, 5],
      [800, 30],
    ] as const) {
      w.clock.pass(after)
      const sending = { ...submission(w, { state: { level: 'ok' } }), interval }
      await node.store([sending], w.clock.now(), node.deliveries.age)
    }
    const now = w.clock.now()
    const spans = await agentStates(db, w.agent, { since: start, until: now, now })
    expect(spans.map(({ from, is }) => [(from - start) / second, is])).toEqual([
      [0, 'reporting'],
      [90, 'offline'],
      // With an interval of 300 s an agent is not offline after 800 s without a report.
      [800, 'reporting'],
      [1690, 'offline'],
    ])
  })

  test('an agent that changes its level with each report has a span and a change for each', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const { db } = w.store
    const start = w.clock.now()
    const levels = ['ok', 'info', 'warn', 'bad'] as const
    const count = 240
    for (let i = 0; i < count; i++) {
      await report({ state: { level: levels[i % 4], label: i % 3 === 0 ? 'Paused' : 'Idle' } })
      w.clock.pass(30)
    }
    const asked = { since: start, until: w.clock.now(), now: w.clock.now() }
    const spans = await agentStates(db, w.agent, asked)
    expectWhole(spans, start, asked.until, 'each report')
    expect(spans.map(({ level }) => level)).toEqual(Array.from({ length: count }, (_, i) => levels[i % 4]))
    const agent = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    const newest = await readHistoryChanges(db, agent, { ...asked, limit: 200 })
    expect([newest.length, newest.at(-1)?.at]).toEqual([200, asked.until - 30_000])
    const all = await readHistoryChanges(db, agent, { ...asked, limit: 1000 })
    expect(all.filter(({ what }) => what === 'level')).toHaveLength(count)
    expect(all.slice(-200)).toEqual(newest)
  })

  test('what was more than 400 days ago is unknown, since it is not kept', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const start = w.clock.now()
    await report({ state: { level: 'ok', label: 'Idle' } })
    const day = 86_400
    w.clock.pass(500 * day)
    await report({ state: { level: 'ok', label: 'Idle' } })
    const now = w.clock.now()
    const spans = await agentStates(w.store.db, w.agent, { since: start, until: now, now })
    expect(spans.map(({ from, is }) => [(from - start) / second / day, is])).toEqual([
      [0, 'unknown'],
      [100, 'offline'],
    ])
    expect(await fleetAt(w.store.db, w.workspace, { at: start + 50 * day * second, now })).toEqual([])
    expect(await fleetAt(w.store.db, w.workspace, { at: start + 150 * day * second, now })).toHaveLength(1)
  })

  test('an agent that never reported is unknown, and is not in the fleet; a workspace may be empty', async () => {
    const w = await newTestWorkspace(await open())
    const now = w.clock.now()
    expect(await agentStates(w.store.db, w.agent, { since: now - 1000, until: now, now })).toEqual([
      { from: now - 1000, until: now, is: 'unknown', level: null, label: null },
    ])
    expect(await agentStates(w.store.db, w.agent, { since: now, until: now, now })).toEqual([])
    expect(await fleetAt(w.store.db, w.workspace, { at: now, now })).toEqual([])
    await deleteAgent({ db: w.store.db, by: w.admin, now }, w.agent)
    expect(await fleetAt(w.store.db, w.workspace, { at: now, now })).toEqual([])
    expect((await readStrips(w.store.db, w.workspace, [w.agent.name], now)).strips).toEqual({})
  })

  test('the fleet at a time is by name, in slices, and may be only one level', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { report } = reporting(w)
    const names = Array.from({ length: 230 }, (_, i) => `agent-${String(i).padStart(3, '0')}`)
    const agents: TestAgent[] = []
    for (const name of names) agents.push(await w.addAgent(name))
    for (const [i, agent] of agents.entries())
      await report({ state: { level: i === 204 ? 'bad' : 'ok', label: 'Idle' } }, { agent })
    const then = w.clock.now()
    w.clock.pass(10)
    for (const agent of agents) await report({ state: { level: 'warn', label: 'Late' } }, { agent })
    const fleet = await fleetAt(w.store.db, w.workspace, { at: then, now: w.clock.now() })
    expect(fleet.map(({ name }) => name)).toEqual(names)
    const bad: PastAgentState = { name: 'agent-204', is: 'reporting', level: 'bad', label: 'Idle' }
    expect(await fleetAt(w.store.db, w.workspace, { at: then, now: w.clock.now(), level: 'bad' })).toEqual([bad])
    expect(await fleetAt(w.store.db, w.workspace, { at: w.clock.now(), now: w.clock.now(), level: 'bad' })).toEqual([])
  })

  test('a trend has a step for each part of its time, which holds as many seconds as have passed', async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    const started = Math.floor(w.clock.now() / 1000)
    const run = { id: 'run-1', started, status: 'done', cost_usd: 0.5, output_tokens: 7 }
    await report({ state: { level: 'ok' }, runs: [run] })
    w.clock.pass(3600)
    await report({ state: { level: 'bad' } })
    w.clock.pass(600)
    const sum = (shares: object) => Object.values(shares).reduce((all: number, seconds: number) => all + seconds, 0)
    for (const [days, step] of [
      [1, 600],
      [7, 3600],
      [30, 86_400],
      [90, 86_400],
      [400, 86_400],
    ] as const) {
      const trend = await agentTrend(w.store.db, w.agent, days, w.clock.now())
      expect([trend.step, trend.time.length]).toEqual([step, (days * 86_400) / step])
      expect([trend.until - trend.from, trend.until > w.clock.now(), trend.gauges]).toEqual([
        days * 86_400_000,
        true,
        [],
      ])
      for (const shares of trend.time.slice(0, -1)) expect(sum(shares)).toBe(step)
      const whole = trend.time.reduce((all, shares) => all + shares.ok + shares.offline + shares.bad, 0)
      expect(whole).toBe(4200)
      expect(trend.usage.filter((day) => day !== null)).toEqual(
        days < 30 ? [] : [{ runs: 1, cost: 0.5, outputTokens: 7 }],
      )
    }
    const [last] = (await agentTrend(w.store.db, w.agent, 30, w.clock.now())).time.slice(-1)
    expect(last).toMatchObject({ ok: 90, offline: 3510 + 510, bad: 90, none: 0 })
  })
})
