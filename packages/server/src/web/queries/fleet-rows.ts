import type { FleetRow } from '@svc/api'
import { type Control, controls } from '@svc/protocol'
import { sql } from 'kysely'
import { pendingUsage } from '../../agent-api/report-store/pending.ts'
import type { UsageDelta } from '../../agent-api/report-store/rows.ts'
import { warnsOf } from '../../agent-api/reports/columns.ts'
import { silentAt } from '../../fleet/agents/silent.ts'
import type { Db } from '../../platform/db/open.ts'
import { servedRelease } from '../../updates/releases/store.ts'
import { fleetUpdates } from './updates.ts'

/** The number of days in the costs of "30 days", including today. */
const costDays = 30

/** Converts micro-dollars to US dollars; null if there are none. */
const dollars = (micro: number | null | undefined): number | null => (micro ? micro / 1_000_000 : null)

/** The rows of the fleet by agent id: all of a workspace, or only those of `ids` that belong to the workspace. */
export async function fleetRows(
  db: Db,
  workspaceId: string,
  today: number,
  ids?: readonly string[],
): Promise<Map<string, FleetRow>> {
  let agents = db
    .selectFrom('agent')
    .leftJoin('agent_report as report', 'report.agent_id', 'agent.id')
    .select([
      'agent.id',
      'workspace_id',
      'name',
      'level',
      'label',
      'detail',
      'received_at',
      'interval_s',
      'doing',
      'version',
      'controls',
      'blueprint',
      'installed_version',
      'reported_version',
      'previous_version',
      'wishes',
      'attempts',
      'usage',
      'status_at',
      'warnings',
      'stopped',
    ])
  // The query filters by `ids` or by the workspace, not by both. With both, SQLite would read all agents of the
  // workspace and compare each with the ids.
  agents = ids ? agents.where('agent.id', 'in', ids) : agents.where('workspace_id', '=', workspaceId)
  const costs = await costsOf(db, workspaceId, today, ids)
  const served = await servedRelease(db)
  const rows = new Map<string, FleetRow>()
  for (const row of await agents.execute()) {
    if (row.workspace_id !== workspaceId) continue
    const cost = withPending(costs.get(row.id), row.usage, today)
    rows.set(row.id, {
      name: row.name,
      level: row.level,
      label: row.label,
      detail: row.detail,
      seenAt: row.received_at,
      silentAt: row.received_at === null ? null : silentAt(row.received_at, row.interval_s ?? 0, row.stopped),
      stopped: row.stopped,
      statusAt: row.status_at === null ? null : row.status_at * 1000,
      statusLate: warnsOf(row.warnings, 'status'),
      secretsMissing: warnsOf(row.warnings, 'secrets'),
      doing: row.doing,
      version: row.version,
      controls: controlsOf(row.controls),
      costToday: dollars(cost?.today),
      cost30: dollars(cost?.month),
      updates: fleetUpdates(row, served),
    })
  }
  return rows
}

/**
 * Sums of the daily totals in millionths of a dollar; with `ids` for these agents, whatever their workspace. The query
 * scans the primary key (agent, day, model) once.
 */
async function costsOf(db: Db, workspaceId: string, today: number, ids?: readonly string[]) {
  let query = db
    .selectFrom('usage_day')
    .select([
      'agent_id as id',
      sql<number>`sum(cost_micro)`.as('month'),
      sql<number>`sum(case when day = ${today} then cost_micro else 0 end)`.as('today'),
    ])
    .where('model', '=', '')
    .where('day', '>', today - costDays)
    .where('day', '<=', today)
    .groupBy('agent_id')
  query = query.where(
    'agent_id',
    'in',
    ids ?? db.selectFrom('agent').select('id').where('workspace_id', '=', workspaceId),
  )
  const sums = await query.execute()
  return new Map(sums.map(({ id, ...sum }) => [id, { month: Number(sum.month), today: Number(sum.today) }]))
}

/** Adds to the costs of an agent the daily sums that are still stored in the row of the agent's last report. */
function withPending(sums: Costs | undefined, usage: string | null, today: number): Costs | undefined {
  const waiting = pendingUsage(usage).filter(({ model, day }) => model === '' && day > today - costDays && day <= today)
  if (waiting.length === 0) return sums
  const cost = (of: readonly UsageDelta[]) => of.reduce((sum, { costMicro }) => sum + costMicro, 0)
  return {
    month: (sums?.month ?? 0) + cost(waiting),
    today: (sums?.today ?? 0) + cost(waiting.filter(({ day }) => day === today)),
  }
}

interface Costs {
  month: number
  today: number
}

function controlsOf(json: string | null): FleetRow['controls'] {
  const names: unknown = json === null ? [] : JSON.parse(json)
  return Array.isArray(names) ? names.filter((n): n is Control => controls.some((c) => c === n)) : []
}
