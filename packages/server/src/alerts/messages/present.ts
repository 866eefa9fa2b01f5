/**
 * Reads what open alerts say now. Their rows keep the words of the last message, because the words of agents may change
 * with every report. So the words that are shown or sent about an open alert are read here.
 */
import { type MessageType, otherItems } from '@svc/api'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import { storedReport } from '../../fleet/reports/body.ts'
import { type ReportSigns, readSigns } from '../../fleet/reports/signs.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AlertRow } from '../../platform/db/tables.ts'
import { piecesInTurns } from '../../platform/lists.ts'
import { badItems } from '../own-words.ts'
import type { ReportedFacts } from '../rules/conditions.ts'
import { sharedLabel } from '../rules/items.ts'
import { isWordedByAgents, needsFact, ruleRecords } from '../rules/rules.ts'
import { outageAgents } from './recipients.ts'
import type { MassAgents } from './words.ts'

/** The numbers of agents, and of bodies of reports, that are read in one turn of the event loop. */
const [agentsAtOnce, bodiesAtOnce] = [200, 8]
/** Once bodies with this many characters were read, the items of the remaining agents are shown without words. */
const maxBodies = 4_000_000
/** The maximum number of agents of a mass outage that are counted again for a list. */
const maxCounted = 2000

type OpenRow = Pick<AlertRow, 'id' | 'scope' | 'rule' | 'subject_kind' | 'subject_id' | 'item' | 'label' | 'ended_at'>

/**
 * Returns a function that gives the present words of an alert. They come from the agent's last report if the alert is
 * open and agents choose the words of its rule; otherwise they are the stored ones. Null if the agent gave no words, or
 * if the condition is gone, so that the alert is about to end.
 */
export async function presentLabels(db: Db, rows: readonly OpenRow[]): Promise<(row: OpenRow) => string | null> {
  const open = rows.filter(
    ({ ended_at, subject_kind, rule }) => ended_at === null && subject_kind === 'agent' && isWordedByAgents(rule),
  )
  if (open.length === 0) return ({ label }) => label
  const reports = await readReports(db, idsOf(open))
  const items = open.filter(({ subject_id, rule }) => rule === 'item' && reports.has(subject_id))
  const single = items.filter(({ item }) => item !== otherItems)
  const shared = items.filter(({ item }) => item === otherItems)
  const words = await itemWords(db, single)
  const own = await ownItems(db, shared)
  const labels = new Map<string, string | null>()
  for (const row of open) {
    const report = reports.get(row.subject_id)
    if (report !== undefined) labels.set(row.id, labelIn(row, report))
  }
  return ({ id, label }) => (labels.has(id) ? (labels.get(id) ?? null) : label)

  function labelIn({ id, rule, subject_id, item, label }: OpenRow, report: Report): string | null {
    if (rule === 'item' && item !== otherItems) return words.get(id) ?? null
    if (report.signs === null && needsFact(rule, 'signs')) return label
    const reported: ReportedFacts = { ...report, signs: report.signs ?? readSigns('') }
    if (rule === 'item') return sharedLabel(reported.signs, own.get(subject_id) ?? new Set())
    const record = ruleRecords[rule]
    const finding = record.about === 'agent' ? record.present?.(reported) : undefined
    return finding?.is === 'holds' ? (finding.label ?? null) : null
  }
}

const idsOf = (rows: readonly OpenRow[]): string[] => [...new Set(rows.map(({ subject_id }) => subject_id))]

type Report = Pick<ReportedFacts, 'level' | 'label'> & { signs: ReportSigns | null }

/** The short columns of the last reports of these agents. */
async function readReports(db: Db, ids: readonly string[]): Promise<Map<string, Report>> {
  const reports = new Map<string, Report>()
  for await (const some of piecesInTurns(ids, agentsAtOnce)) {
    const rows = await db
      .selectFrom('agent_report')
      .select(['agent_id', 'level', 'label', 'signs'])
      .where('agent_id', 'in', some)
      .execute()
    for (const { agent_id, signs, ...row } of rows)
      reports.set(agent_id, { ...row, signs: signs === null ? null : readSigns(signs) })
  }
  return reports
}

/** The words of the agents about single bad items, by the id of the alert. */
async function itemWords(db: Db, rows: readonly OpenRow[]): Promise<Map<string, string | null>> {
  const words = new Map<string, string | null>()
  const byAgent = Map.groupBy(rows, ({ subject_id }) => subject_id)
  let left = maxBodies
  for await (const ids of piecesInTurns([...byAgent.keys()], bodiesAtOnce)) {
    if (left <= 0) break
    const bodies = await db
      .selectFrom('agent_report')
      .select(['agent_id', 'body'])
      .where('agent_id', 'in', ids)
      .execute()
    for (const { agent_id, body } of bodies) {
      left -= body.length
      const bad = badItems(storedReport(body))
      for (const { id, item } of byAgent.get(agent_id) ?? []) words.set(id, bad.get(item) ?? null)
    }
  }
  return words
}

/** The items about which an alert is open, by the id of their agent. */
async function ownItems(db: Db, rows: readonly OpenRow[]): Promise<Map<string, Set<string>>> {
  const own = new Map<string, Set<string>>()
  const scope = rows[0]?.scope ?? ''
  for await (const some of piecesInTurns(idsOf(rows), agentsAtOnce)) {
    const rows = await db
      .selectFrom('alert')
      .select(['subject_id', 'item'])
      .where('scope', '=', scope)
      .where('rule', '=', 'item')
      .where('subject_kind', '=', 'agent')
      .where('subject_id', 'in', some)
      .where('ended_at', 'is', null)
      .where('opened_at', 'is not', null)
      .execute()
    for (const { subject_id, item } of rows) own.set(subject_id, (own.get(subject_id) ?? new Set()).add(item))
  }
  return own
}

/**
 * Counts the agents of a mass outage that are offline now. Returns null if there are too many to count for a list. An
 * agent that was renamed, deleted or stopped by a person since then is not counted.
 */
export async function stillOffline(
  db: Db,
  workspaceId: string,
  names: readonly string[],
  now: number,
): Promise<number | null> {
  if (names.length > maxCounted) return null
  let offline = 0
  for await (const some of piecesInTurns(names, agentsAtOnce)) {
    const rows = await db
      .selectFrom('agent')
      .innerJoin('agent_report', 'agent_report.agent_id', 'agent.id')
      .select(['received_at', 'interval_s', 'stopped'])
      .where('workspace_id', '=', workspaceId)
      .where('name', 'in', some)
      .execute()
    offline += rows.filter(
      (row) => row.stopped !== 'person' && offlineFrom(row.received_at, row.interval_s) <= now,
    ).length
  }
  return offline
}

/**
 * The agents of a mass outage for a message: those in `list`, or the stored ones if `list` is missing. Messages between
 * the first and the last one also say how many of the agents are still offline.
 */
export async function outageAgentsNow(
  db: Db,
  row: Pick<AlertRow, 'agents' | 'scope'>,
  { type, list, now }: { type: MessageType; list?: MassAgents | undefined; now: number },
): Promise<MassAgents | null> {
  const agents = list ?? outageAgents(row)
  if (agents === null || type === 'alert.opened' || type === 'alert.ended') return agents
  return { ...agents, offline: await stillOffline(db, row.scope, agents.names, now) }
}
