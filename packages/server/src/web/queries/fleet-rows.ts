import type { FleetRow } from '@svc/api'
import { type Control, controls } from '@svc/protocol'
import { sql } from 'kysely'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import { readTags } from '../../fleet/agents/tags.ts'
import { hasWarning } from '../../fleet/reports/columns.ts'
import { reportedHosts } from '../../fleet/reports/hosts.ts'
import { pendingUsage } from '../../fleet/reports/pending.ts'
import type { UsageDelta } from '../../fleet/reports/stored.ts'
import type { Db } from '../../platform/db/open.ts'
import { piecesInTurns } from '../../platform/lists.ts'
import { servedRelease } from '../../updates/releases/store.ts'
import { statusAge } from './age.ts'
import { type AlertsOf, fleetAlerts } from './fleet-alerts.ts'
import { updateSummaryOf } from './updates.ts'

/** The number of days in the costs of "30 days", including today. */
const costDays = 30

/** Converts micro-dollars to US dollars; null if there are none. */
const dollars = (micro: number | null | undefined): number | null => (micro ? micro / 1_000_000 : null)

/** The facts that rows of the fleet's list need besides the columns of their agents. */
interface RowParts {
  /** The day of today's costs. */
  today: number
  /** The summed costs; undefined if they are not read yet, so that the rows have none. */
  sums: CostsByAgent | undefined
  alerts: AlertsOf
  /** The row of an agent that was read before; undefined if it was never read. */
  before?: (id: string) => FleetRow | undefined
}

/** The number of agents that are read in one query. Between two queries the process handles reports. */
export const fleetAgentsAtOnce = 250

/** The rows of the fleet by agent id: all of a workspace, or only those of `ids` that belong to the workspace. */
export async function fleetRows(
  db: Db,
  workspaceId: string,
  today: number,
  ids?: readonly string[],
): Promise<Map<string, FleetRow>> {
  const rows = new Map<string, FleetRow>()
  for await (const piece of fleetPieces(db, workspaceId, today, ids))
    for (const [{ id }, row] of piece) rows.set(id, row)
  return rows
}

/** The rows that `fleetRows` returns, in pieces, each with the columns from which it was made. */
export async function* fleetPieces(
  db: Db,
  workspaceId: string,
  today: number,
  ids?: readonly string[],
): AsyncGenerator<[AgentColumns, FleetRow][]> {
  const all = ids ?? (await agentIds(db, workspaceId))
  const alerts = await fleetAlerts(db, workspaceId)
  for await (const piece of piecesInTurns(all, fleetAgentsAtOnce)) {
    const sums = await costSums(db, workspaceId, today, piece)
    const columns = await readAgentColumns(db, workspaceId, piece)
    const rows = await readFleetRows(db, columns, { today, sums, alerts })
    yield columns.flatMap((each) => {
      const row = rows.get(each.id)
      return row ? [[each, row] as [AgentColumns, FleetRow]] : []
    })
  }
}

export async function agentIds(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db.selectFrom('agent').select('id').where('workspace_id', '=', workspaceId).execute()
  return rows.map(({ id }) => id)
}

/** Makes rows of the fleet's list from columns that were read. */
export async function readFleetRows(
  db: Db,
  agents: readonly AgentColumns[],
  { today, sums, alerts, before = () => undefined }: RowParts,
): Promise<Map<string, FleetRow>> {
  const served = await servedRelease(db)
  const hosts = await readHosts(db, agents, before)
  const tags = await readTags(
    db,
    agents.map(({ id }) => id),
  )
  const rows = new Map<string, FleetRow>()
  for (const row of agents) {
    rows.set(row.id, {
      name: row.name,
      ...levelFactsOf(row),
      label: row.label,
      detail: row.detail,
      doing: row.doing,
      version: row.version,
      host: (row.host ?? hosts.get(row.id)) || null,
      tags: tags.get(row.id) ?? [],
      alerts: alerts(row),
      controls: controlsOf(row.controls),
      ...(sums ? costsOf(sums.get(row.id), row.usage, today) : { costToday: null, cost30: null }),
      updates: updateSummaryOf(row, served),
    })
  }
  return rows
}

/** The facts about an agent from which lists judge its level, and whether it is offline. */
export const levelFactsOf = (row: AgentColumns) => ({
  level: row.level,
  seenAt: row.received_at,
  silentAt: row.received_at === null ? null : offlineFrom(row.received_at, row.interval_s ?? 0, row.stopped),
  stopped: row.stopped,
  ...statusAge(row),
  secretsMissing: hasWarning(row.warnings, 'secrets'),
})

export type AgentColumns = Awaited<ReturnType<typeof readAgentColumns>>[number]

/** The columns of agents and of their last reports. Agents of other workspaces are left out. */
export async function readAgentColumns(db: Db, workspaceId: string, ids: readonly string[]) {
  const rows = await db
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
      'host',
    ])
    .where('agent.id', 'in', ids)
    .execute()
  // The query filters only by `ids`: with a condition for the workspace, SQLite would read all agents of the workspace.
  return rows.filter((row) => row.workspace_id === workspaceId)
}

/**
 * The hosts of agents whose last report came before the column `host` existed. A host is read from the large body of
 * the report once; later it is taken from the row that `before` returns.
 */
async function readHosts(
  db: Db,
  agents: readonly AgentColumns[],
  before: (id: string) => FleetRow | undefined,
): Promise<Map<string, string | null>> {
  const hosts = new Map<string, string | null>()
  const unread: string[] = []
  for (const { id, host, received_at } of agents) {
    if (host !== null || received_at === null) continue
    const known = before(id)
    if (known?.seenAt === received_at) hosts.set(id, known.host)
    else unread.push(id)
  }
  for (const [id, host] of await reportedHosts(db, unread)) hosts.set(id, host)
  return hosts
}

/**
 * Sums of the daily totals in millionths of a dollar, of the last `days` days. With `ids`, only these agents count,
 * whatever their workspace. The query scans the primary key (agent, day, model) once.
 */
export async function costSums(
  db: Db,
  workspaceId: string,
  today: number,
  ids?: readonly string[],
  days = costDays,
): Promise<CostsByAgent> {
  let query = db
    .selectFrom('usage_day')
    .select([
      'agent_id as id',
      sql<number>`sum(cost_micro)`.as('month'),
      sql<number>`sum(case when day = ${today} then cost_micro else 0 end)`.as('today'),
    ])
    .where('model', '=', '')
    .where('day', '>', today - days)
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

/** The costs of an agent: its summed costs, and the daily sums in the column `usage` of its last report. */
export function costsOf(
  sums: Costs | undefined,
  usage: string | null,
  today: number,
): Pick<FleetRow, 'costToday' | 'cost30'> {
  const cost = withPending(sums, usage, today)
  return { costToday: dollars(cost?.today), cost30: dollars(cost?.month) }
}

function withPending(sums: Costs | undefined, usage: string | null, today: number): Costs | undefined {
  const waiting = pendingUsage(usage).filter(({ model, day }) => model === '' && day > today - costDays && day <= today)
  if (waiting.length === 0) return sums
  const cost = (of: readonly UsageDelta[]) => of.reduce((sum, { costMicro }) => sum + costMicro, 0)
  return {
    month: (sums?.month ?? 0) + cost(waiting),
    today: (sums?.today ?? 0) + cost(waiting.filter(({ day }) => day === today)),
  }
}

export type CostsByAgent = Map<string, Costs>
interface Costs {
  month: number
  today: number
}

function controlsOf(json: string | null): FleetRow['controls'] {
  const names: unknown = json === null ? [] : JSON.parse(json)
  return Array.isArray(names) ? names.filter((n): n is Control => controls.some((c) => c === n)) : []
}
