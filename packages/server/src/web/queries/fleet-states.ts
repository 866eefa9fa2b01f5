/** The states of all agents of a workspace at one time. */
import type { PastAgentState } from '@svc/api'
import type { Level } from '@svc/protocol'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { workspaceTurns } from './fleet.ts'
import { type StoredStates, spansOf } from './state-spans.ts'
import { findFirstReport, openOffline, serviceOutages, statesKeptFrom } from './states.ts'

/** The number of agents whose states are read in one turn of the event loop. */
const agentsAtOnce = 50

/** The states of all agents of a workspace at a time, by name; those without a known state are left out. */
export async function fleetAt(
  db: Db,
  workspace: { id: string },
  { at, now, level }: { at: number; now: number; level?: Level | undefined },
): Promise<PastAgentState[]> {
  const away = await serviceOutages(db, at, at + 1)
  const found: PastAgentState[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    await workspaceTurns.next(workspace.id)
    const rows = await agentsAt(db, workspace, at)
      .where('name', '>', after)
      .orderBy('name')
      .limit(agentsAtOnce)
      .execute()
    for (const row of rows) {
      const span = spansOf({ ...storedStatesOf(row), away, statesKeptFrom: statesKeptFrom(now) }, at, at + 1)[0]
      if (!span || span.is === 'unknown' || (level !== undefined && span.level !== level)) continue
      found.push({ name: row.name, is: span.is, level: span.level, label: span.label })
    }
    after = rows.length < agentsAtOnce ? undefined : rows.at(-1)?.name
  }
  // The JSON of the answer is made in a separate turn of the event loop, the one in which this function returns.
  await workspaceTurns.next(workspace.id)
  return found
}

/** The query for the agents of a workspace, with the last change of level and the last time offline up to a time. */
export const agentsAt = (db: Db, { id }: { id: string }, at: number) =>
  db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .leftJoin('level_change as l', (join) => join.on('l.seq', '=', lastSeq('level_change', ['at', 'seq'], at)))
    .leftJoin('agent_offline as o', (join) =>
      join.on('o.seq', '=', lastSeq('agent_offline', ['from_at', 'until_at'], at)),
    )
    .select(['name', 'first_report_at', 'received_at', 'interval_s', 'agent_report.stopped'])
    .select(['l.at', 'l.level', 'l.label', 'l.paused', 'o.from_at', 'o.until_at', 'o.stopped as was_stopped'])
    .where('workspace_id', '=', id)

/** The `seq` of an agent's last row in a table up to the time `at`, by the columns that sort its rows. */
function lastSeq(table: 'level_change' | 'agent_offline', columns: readonly [time: string, tie: string], at: number) {
  const [time, tie] = columns.map((column) => sql.ref(`other.${column}`))
  return sql<number>`(select other.seq from ${sql.table(table)} as other where other.agent_id = agent.id
    and ${time} <= ${at} order by ${time} desc, ${tie} desc limit 1)`
}

type RowAt = Awaited<ReturnType<ReturnType<typeof agentsAt>['execute']>>[number]

/** Makes the stored states of one agent at one time from its row. */
export function storedStatesOf(row: RowAt): Omit<StoredStates, 'away' | 'statesKeptFrom'> {
  const { at, level, label, paused, from_at, until_at, was_stopped } = row
  const open = openOffline(row)
  return {
    firstReportAt: findFirstReport(row, at ?? undefined),
    levels: at === null || level === null ? [] : [{ at, level, label, paused }],
    offline: [
      ...(from_at === null || until_at === null ? [] : [{ from: from_at, until: until_at, stopped: was_stopped }]),
      ...(open ? [open] : []),
    ],
    interval: row.interval_s,
  }
}
