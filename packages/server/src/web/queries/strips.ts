/** The states of agents in the last 24 hours, for the strips of the list: few statements for many agents. */
import type { StateStrips } from '@svc/api'
import { maxStripSpans, type StripSpan, stripMs, stripText } from '@svc/api/words'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { workspaceTurns } from './fleet.ts'
import { agentsAt, storedStatesOf } from './fleet-states.ts'
import { type LevelRow, type OfflineSpan, type StoredSpan, type StoredStates, spansOf } from './state-spans.ts'
import { findFirstReport, serviceOutages } from './states.ts'

/** The number of agents whose strips are made together. */
const agentsAtOnce = 25
/** The maximum number of changes that are read in one turn of the event loop, in one or two milliseconds. */
const rowsAtOnce = 500
/** The number of an agent's newest changes that are read if the agents together have more than `rowsAtOnce`. */
const newestChanges = maxStripSpans + 1
/** The number of agents whose newest changes are read, or whose strips are made, in one turn of the event loop. */
const busyAtOnce = 8

/** The strips of the agents with these names, up to `now`. Names that belong to no agent are left out. */
export async function readStrips(
  db: Db,
  workspace: { id: string },
  names: readonly string[],
  now: number,
): Promise<StateStrips> {
  const from = now - stripMs
  const away = await serviceOutages(db, from, now)
  const strips: StateStrips['strips'] = {}
  const manyIn = new Set<object>()
  for (let i = 0; i < names.length; i += agentsAtOnce) {
    await workspaceTurns.next(workspace.id)
    const agents = await agentsAt(db, workspace, from - 1)
      .select('agent.id')
      .where('name', 'in', names.slice(i, i + agentsAtOnce))
      .execute()
    const ids = agents.map(({ id }) => id)
    await workspaceTurns.next(workspace.id)
    const levels = await changesIn(levelChanges, { db, ids, from, now, workspace, manyIn })
    await workspaceTurns.next(workspace.id)
    const offline = await changesIn(timesOffline, { db, ids, from, now, workspace, manyIn })
    for (const [place, agent] of agents.entries()) {
      if (place % busyAtOnce === 0) await workspaceTurns.next(workspace.id)
      const [own, times] = [levels.byAgent.get(agent.id) ?? [], offline.byAgent.get(agent.id) ?? []]
      const kept = storedStatesOf(agent)
      const states = {
        ...kept,
        firstReportAt: findFirstReport(agent, kept.levels[0]?.at ?? own[0]?.at),
        levels: [...kept.levels, ...own],
        offline: [...kept.offline, ...times].toSorted((a, b) => a.from - b.from),
        away,
        statesKeptFrom: from,
      }
      const known = Math.max(
        from,
        (levels.isAll || own.length < newestChanges ? undefined : own[0]?.at) ?? from,
        (offline.isAll || times.length < newestChanges ? undefined : times[0]?.from) ?? from,
      )
      strips[agent.name] = stripText(stripOf(states, { from, until: now }, known))
    }
  }
  return { from, until: now, strips }
}

/** The spans of a strip. Only the changes after the time `known` were read; the time before it is shown as `often`. */
function stripOf(kept: StoredStates, { from, until }: StoredSpan, known: number): StripSpan[] {
  const spans: { state: StripSpan['state']; until: number }[] = known > from ? [{ state: 'often', until: known }] : []
  for (const { is, level, until: end } of spansOf(kept, known, until)) {
    const state = is === 'reporting' ? (level ?? 'none') : is
    const last = spans.at(-1)
    if (last?.state === state) last.until = end
    else spans.push({ state, until: end })
  }
  const left = spans.length - maxStripSpans
  // Spans that are too many become one span `often`. The first span stays before it if all changes were read.
  const first = known > from ? 0 : 1
  if (left > 0) spans.splice(first, left + 1, { state: 'often', until: spans[first + left]?.until ?? from })
  const second = (at: number) => Math.round((at - from) / 1000)
  return spans
    .map(({ state, until: end }, i) => ({ state, seconds: second(end) - second(spans[i - 1]?.until ?? from) }))
    .filter(({ seconds }) => seconds > 0)
}

/** SQL for a table of changes: the query for its rows, the column with the time, and the order of the rows. */
interface ChangeTable<Row> {
  rows: ReturnType<typeof sql.raw>
  time: ReturnType<typeof sql.raw>
  order: ReturnType<typeof sql.raw>
  newestFirst: ReturnType<typeof sql.raw>
  compare: (a: Row, b: Row) => number
}
const levelChanges: ChangeTable<LevelRow & { seq: number }> = {
  rows: sql.raw(
    'select agent_id, at, level, case when paused is null then label end as label, paused, seq from level_change',
  ),
  time: sql.raw('at'),
  order: sql.raw('at, seq'),
  newestFirst: sql.raw('at desc, seq desc'),
  compare: (a, b) => a.at - b.at || a.seq - b.seq,
}
const timesOffline: ChangeTable<OfflineSpan> = {
  rows: sql.raw(
    'select agent_id, from_at as "from", until_at as "until", stopped, from_at, until_at from agent_offline',
  ),
  time: sql.raw('from_at'),
  order: sql.raw('from_at, until_at'),
  newestFirst: sql.raw('from_at desc, until_at desc'),
  compare: (a, b) => a.from - b.from || a.until - b.until,
}

interface ChangeQuestion {
  db: Db
  workspace: { id: string }
  ids: readonly string[]
  from: number
  now: number
  /** The tables in which some agents had too many changes for one turn. They are read agent by agent from then on. */
  manyIn: Set<object>
}

/**
 * The changes of agents since `from`, oldest first: all of them or, if these are too many for one turn, the newest of
 * each agent.
 */
async function changesIn<Row>(table: ChangeTable<Row>, { db, workspace, ids, from, now, manyIn }: ChangeQuestion) {
  const byAgent = new Map<string, Row[]>()
  const answer = (isAll: boolean) => ({ byAgent, isAll })
  const take = (rows: readonly (Row & { agent_id: string })[]) => {
    for (const row of rows) {
      const own = byAgent.get(row.agent_id)
      if (own) own.push(row)
      else byAgent.set(row.agent_id, [row])
    }
  }
  if (ids.length === 0) return answer(true)
  if (!manyIn.has(table)) {
    const { rows: all } = await sql<Row & { agent_id: string }>`${table.rows} where agent_id in (${sql.join(ids)})
      and ${table.time} >= ${from} and ${table.time} < ${now} order by agent_id, ${table.order}
      limit ${rowsAtOnce + 1}`.execute(db)
    if (all.length <= rowsAtOnce) {
      take(all)
      return answer(true)
    }
    manyIn.add(table)
  }
  for (let i = 0; i < ids.length; i += busyAtOnce) {
    await workspaceTurns.next(workspace.id)
    const each = ids.slice(i, i + busyAtOnce).map(
      (id) => sql`select * from (${table.rows} where agent_id = ${id} and ${table.time} >= ${from}
        and ${table.time} < ${now} order by ${table.newestFirst} limit ${newestChanges}) as one`,
    )
    const { rows } = await sql<Row & { agent_id: string }>`${sql.join(each, sql` union all `)}`.execute(db)
    take(rows)
  }
  for (const own of byAgent.values()) own.sort(table.compare)
  return answer(false)
}
