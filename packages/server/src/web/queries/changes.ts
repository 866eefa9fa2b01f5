/** Lists the changes of an agent from all tables that record changes. */
import { changeKinds, type HistoryChange } from '@svc/api'
import type { SettingValue } from '@svc/protocol'
import { rulesOfScope } from '../../alerts/scoped-rules.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { type AgentAlertRows, findAlertsAbout } from './alerts.ts'
import { isPausedRow, type StoredStates, shownOfflineSpans } from './state-spans.ts'
import { type AskedStates, readStateHistory } from './states.ts'

interface AskedChanges extends AskedStates {
  limit: number
}

/** The newest `limit` changes of an agent from `since` to `until`, oldest first. */
export async function readHistoryChanges(db: Db, agent: AgentRow, asked: AskedChanges): Promise<HistoryChange[]> {
  const all = [
    ...stateChanges(await readStateHistory(db, agent, asked)),
    ...(await readMachineChanges(db, agent, asked)),
    ...(await readUpdates(db, agent, asked)),
    ...(await readCommands(db, agent, asked)),
    ...(await readFailedRuns(db, agent, asked)),
    ...alertChanges(await findAlertsAbout(db, agent, asked)),
  ]
  return all
    .filter(({ at }) => at >= asked.since && at <= asked.until)
    .sort((a, b) => a.at - b.at || changeKinds.indexOf(a.what) - changeKinds.indexOf(b.what) || begins(a) - begins(b))
    .slice(-asked.limit)
}

/** 1 for a change that begins a time span, so that it comes after the change that ends the span before it. */
const begins = ({ to }: HistoryChange): number => (to === true ? 1 : 0)

const change = (at: number, what: HistoryChange['what'], more: Partial<HistoryChange>): HistoryChange => ({
  at,
  what,
  from: null,
  to: null,
  text: null,
  id: null,
  ...more,
})

/**
 * One change for the beginning of a time span, and one for its end. A span that has not ended ends at infinity, and no
 * list reaches that far.
 */
const ends = (what: HistoryChange['what'], { from, until }: { from: number; until: number }, text: string | null) => [
  change(from, what, { from: false, to: true, text }),
  change(until, what, { from: true, to: false, text }),
]

/** The changes of level and pause, the times the agent was offline, and the times the service was down. */
function stateChanges(kept: StoredStates): HistoryChange[] {
  const { firstReportAt, levels, away } = kept
  const changes: HistoryChange[] = []
  for (const [i, row] of levels.entries()) {
    const before = levels[i - 1]
    const paused = isPausedRow(row)
    if (before?.level !== row.level)
      changes.push(change(row.at, 'level', { from: before?.level ?? null, to: row.level, text: row.label }))
    if (paused !== (before !== undefined && isPausedRow(before)))
      changes.push(change(row.at, 'paused', { from: !paused, to: paused }))
  }
  for (const span of shownOfflineSpans(kept)) changes.push(...ends('offline', span, span.stopped))
  for (const span of away)
    if (firstReportAt !== null && span.until > firstReportAt) changes.push(...ends('service', span, null))
  return changes
}

/** Changes of settings and versions that were made on the machine. `stateChanges` has the pauses. */
async function readMachineChanges(
  db: Db,
  agent: AgentRow,
  { since, until, limit }: AskedChanges,
): Promise<HistoryChange[]> {
  const rows = await db
    .selectFrom('machine_change')
    .selectAll()
    .where('agent_id', '=', agent.id)
    .where('kind', '!=', 'pause')
    .where('at', '>=', since)
    .where('at', '<=', until)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ at, kind, key, before, after }) =>
    change(at, kind === 'version' ? 'version' : 'setting', {
      from: JSON.parse(before) as SettingValue,
      to: JSON.parse(after) as SettingValue,
      text: key,
    }),
  )
}

async function readUpdates(db: Db, agent: AgentRow, { since, until, limit }: AskedChanges): Promise<HistoryChange[]> {
  const rows = await db
    .selectFrom('update_event')
    .selectAll()
    .where('agent_id', '=', agent.id)
    .where('at', '>=', since)
    .where('at', '<=', until)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ at, subject, kind, version, from_version, rollout_id }) =>
    change(at, 'update', { from: from_version, to: version, text: `${subject} ${kind}`, id: rollout_id }),
  )
}

async function readCommands(db: Db, agent: AgentRow, { since, until, limit }: AskedChanges): Promise<HistoryChange[]> {
  const rows = await db
    .selectFrom('command')
    .select(['id', 'type', 'state', 'created_at'])
    .where('agent_id', '=', agent.id)
    .where('created_at', '>=', since)
    .where('created_at', '<=', until)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, type, state, created_at }) => change(created_at, 'command', { to: state, text: type, id }))
}

/** The kept runs that the rule `run_failed` counts as failed, each at the time of its end. */
async function readFailedRuns(db: Db, agent: AgentRow, { now }: AskedChanges): Promise<HistoryChange[]> {
  const rules = await rulesOfScope(db, { id: agent.workspace_id, workspaceId: agent.workspace_id })
  const { statuses } = rules('run_failed')
  if (statuses === null || statuses.length === 0) return []
  const rows = await db
    .selectFrom('run')
    .select(['id', 'status', 'place', 'ended'])
    .where('agent_id', '=', agent.id)
    .where('status', 'in', statuses)
    .execute()
  return rows.map(({ id, status, place, ended }) => {
    const end = ended === null ? place : ended * 1000
    // The end is a time of the agent's machine. If it is impossible, the time by which the run is sorted is used.
    return change(end >= place && end <= now ? end : place, 'run', { to: status, text: id, id })
  })
}

function alertChanges(rows: AgentAlertRows): HistoryChange[] {
  return rows.flatMap(({ id, rule, opened_at, ended_at }) => [
    ...(opened_at === null ? [] : [change(opened_at, 'alert', { to: 'open', text: rule, id })]),
    ...(ended_at === null ? [] : [change(ended_at, 'alert', { from: 'open', to: 'ended', text: rule, id })]),
  ])
}
