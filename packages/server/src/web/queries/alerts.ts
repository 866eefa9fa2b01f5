/** Reads alerts for pages. Pending alerts are left out, because they may never open. */
import { setImmediate } from 'node:timers/promises'
import type { AlertBar, AlertLevel, AlertLine, AlertLines, AlertTimeline, RuleName, Workspace } from '@svc/api'
import { wordSearch } from '@svc/api/filter'
import { alertRules } from '@svc/api/words'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { presentLabels, stillOffline } from '../../alerts/messages/present.ts'
import { alertStateOf } from '../../alerts/rules/judge.ts'
import { alertSubject, storedAlert } from '../../alerts/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow, AlertRow, Tables } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'

/** The maximum number of open alerts in one answer to a page. */
const maxOpen = 500
/** The number of alerts that are read in one turn of the event loop to look for words. */
const readAtOnce = 200
/** The number of days of alerts on an agent's page, the same as the longest window of its history. */
const agentDays = 30

interface LinesWanted extends AlertsWanted {
  ended: boolean
  before?: string | undefined
  limit: number
  now: number
}

/** The alerts of a workspace that are open, or those that have ended, newest first. */
export async function alertLines(
  db: Db,
  { id }: { id: string },
  { ended, before, limit, now, ...wanted }: LinesWanted,
): Promise<AlertLines> {
  const max = ended ? limit : maxOpen
  const atOnce = wanted.q === undefined ? max + 1 : readAtOnce
  const isFound = hasWords(wanted)
  const rows: ShownRow[] = []
  for (let last = before, rest = true; rest && rows.length <= max; ) {
    const read = await shownRows(db, id)
      .where(isWanted(wanted))
      .where('ended_at', ended ? 'is not' : 'is', null)
      .$if(last !== undefined, (query) => query.where('alert.id', '<', last as string))
      .orderBy('alert.id', 'desc')
      .limit(atOnce)
      .execute()
    rows.push(...read.filter(isFound))
    last = read.at(-1)?.id
    rest = read.length === atOnce
    if (rest) await setImmediate()
  }
  return { rows: await readLines(db, rows.slice(0, max), now), more: rows.length > max }
}

/**
 * The newest `limit` alerts about an agent that are open or began in the last 30 days. An alert about many offline
 * agents counts for each agent that it names.
 */
export async function agentAlerts(db: Db, agent: AgentRow, limit: number, now: number): Promise<AlertLine[]> {
  const rows = await rowsAbout(db, agent)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('alert.id', '>', newId(now - agentDays * dayMs))]))
    .orderBy('alert.id', 'desc')
    .limit(limit)
    .execute()
  return readLines(db, rows, now)
}

/**
 * The alerts about an agent that may have opened or ended between two times: the newest `limit` open alerts, and the
 * `limit` alerts that ended last.
 */
export async function findAlertsAbout(
  db: Db,
  agent: AgentRow,
  { since, until, limit }: { since: number; until: number; limit: number },
) {
  const rows = rowsAbout(db, agent).where('opened_at', '<=', until).limit(limit)
  // Two queries read the alerts, because each of them can use an index.
  const open = await rows.where('ended_at', 'is', null).orderBy('alert.id', 'desc').execute()
  const ended = await rows.where('ended_at', '>=', since).orderBy('ended_at', 'desc').execute()
  return [...open.filter(({ opened_at }) => (opened_at ?? 0) >= since), ...ended]
}
export type AgentAlertRows = Awaited<ReturnType<typeof findAlertsAbout>>

/** The shown alerts about an agent. An alert about many offline agents counts for each agent that it names. */
const rowsAbout = (db: Db, agent: AgentRow) =>
  shownRows(db, agent.workspace_id).where((eb) =>
    eb.or([
      eb.and([eb('subject_kind', '=', 'agent'), eb('subject_id', '=', agent.id)]),
      eb.and([eb('subject_kind', '=', 'workspace'), eb('agents', 'like', `%"${agent.name}"%`)]),
    ]),
  )

export async function alertCounts(db: Db, { id }: { id: string }): Promise<Workspace['alerts']> {
  const { unacknowledged } = await db
    .selectFrom('alert')
    .select((eb) => eb.fn.countAll<number>().as('unacknowledged'))
    .where('scope', '=', id)
    .where('opened_at', 'is not', null)
    .where('ended_at', 'is', null)
    .where('acknowledged_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { unacknowledged: Number(unacknowledged), notified: await hasEnabledChannel(db, { id }) }
}

/** True if a channel of the workspace, or of a person in it, is enabled. */
export async function hasEnabledChannel(db: Db, { id }: { id: string }): Promise<boolean> {
  const enabled = db.selectFrom('alert_channel').select('id').where('scope', '=', id).where('enabled', '=', 1)
  return (await enabled.limit(1).executeTakeFirst()) !== undefined
}

/** The alerts that have opened, each with the agent that it is about. */
const openedAlerts = (db: Db, scope: string) =>
  db
    .selectFrom('alert')
    .leftJoin('agent', (join) => join.onRef('agent.id', '=', 'subject_id').on('subject_kind', '=', 'agent'))
    .where('scope', '=', scope)
    .where('opened_at', 'is not', null)

const shownRows = (db: Db, scope: string) =>
  openedAlerts(db, scope).selectAll('alert').select('agent.name as agentName')

type ShownRow = AlertRow & { agentName: string | null }

async function readLines(db: Db, rows: readonly ShownRow[], now: number): Promise<AlertLine[]> {
  const labelOf = await presentLabels(db, rows)
  const rolloutOf = await haltedRollouts(db, rows)
  const lines: AlertLine[] = []
  for (const row of rows) {
    const within = rolloutOf(row)
    const line = { ...lineOf(row), label: labelOf(row), agents: await agentsIn(db, row, now) }
    lines.push(within === undefined ? line : { ...line, within })
  }
  return lines
}

/**
 * Returns a function that gives the rollout in which an agent's update failed, if both an alert about the update and an
 * alert about the rollout are open and among these rows.
 */
async function haltedRollouts(db: Db, rows: readonly ShownRow[]): Promise<(row: ShownRow) => string | undefined> {
  const idsOf = (rule: AlertRow['rule']) =>
    rows.filter((row) => row.rule === rule && row.ended_at === null).map(({ subject_id }) => subject_id)
  const [rollouts, agents] = [idsOf('rollout'), idsOf('update')]
  if (rollouts.length === 0 || agents.length === 0) return () => undefined
  const members = await db
    .selectFrom('rollout_agent')
    .select(['rollout_id', 'agent_id'])
    .where('rollout_id', 'in', rollouts)
    .where('agent_id', 'in', agents)
    .where('state', 'in', ['rolled_back', 'failed'])
    .execute()
  const byAgent = new Map(members.map(({ rollout_id, agent_id }) => [agent_id, rollout_id]))
  return ({ rule, ended_at, subject_id }) =>
    rule === 'update' && ended_at === null ? byAgent.get(subject_id) : undefined
}

async function agentsIn(db: Db, row: ShownRow, now: number): Promise<AlertLine['agents']> {
  if (row.agents === null) return null
  const agents = JSON.parse(row.agents) as { names: string[]; of: number }
  return { ...agents, offline: row.ended_at === null ? await stillOffline(db, row.scope, agents.names, now) : null }
}

function lineOf(row: ShownRow): Omit<AlertLine, 'label' | 'agents'> {
  const alert = storedAlert(row)
  return {
    id: row.id,
    rule: row.rule,
    level: row.level,
    subject: { ...alertSubject(row), name: row.agentName ?? row.subject_name },
    state: alertStateOf(alert),
    since: row.since,
    openedAt: row.opened_at,
    endedAt: row.ended_at,
    acknowledged: alert.acknowledged,
    muted: alert.muted,
    agent: row.agentName,
    rollout: row.subject_kind === 'rollout' ? row.subject_id : null,
  }
}

// Reads the alerts of the last days for a timeline.

/**
 * The maximum number of alerts in a timeline, and the number that is read at a time. Pages and reports are answered in
 * between.
 */
const [maxBars, barsAtOnce] = [5000, 200]

/** The alerts of a workspace that were open within the last days. */
export async function alertTimeline(
  db: Db,
  { id: scope }: { id: string },
  { days, now, ...wanted }: AlertsWanted & { days: number; now: number },
): Promise<AlertTimeline> {
  const since = now - days * dayMs
  const bars: AlertBar[] = []
  const isFound = hasWords(wanted)
  for (const isOpen of [true, false]) {
    for (let after: ReadRow | undefined, rest = true; rest && bars.length <= maxBars; ) {
      const rows = await rowsAfter(db, { scope, isOpen, since, wanted, after })
      bars.push(...rows.filter(isFound).map(barOf))
      after = rows.at(-1)
      rest = rows.length === barsAtOnce
      await setImmediate()
    }
  }
  return { rows: bars.slice(0, maxBars), more: bars.length > maxBars }
}

interface BarsWanted {
  scope: string
  isOpen: boolean
  since: number
  wanted: AlertsWanted
  after: { id: string; ended_at: number | null } | undefined
}

type ReadRow = Awaited<ReturnType<typeof rowsAfter>>[number]

/** The next alerts after `after`, the newest first: ended ones by the time of their end, open ones by their ids. */
const rowsAfter = (db: Db, { scope, isOpen, since, wanted, after }: BarsWanted) =>
  openedAlerts(db, scope)
    .select(['alert.id', 'rule', 'alert.level', 'subject_kind', 'subject_name', 'item', 'opened_at', 'ended_at'])
    .select(['agent.name as agentName', 'alert.label', 'agents'])
    .where(isWanted(wanted))
    .where('ended_at', isOpen ? 'is' : 'is not', null)
    .$if(!isOpen, (query) => query.where('ended_at', '>', since))
    .$if(after !== undefined, (query) =>
      query.where((eb) => {
        const isOlder = eb('alert.id', '<', after?.id ?? '')
        if (isOpen) return isOlder
        const ended = after?.ended_at ?? 0
        // The first condition is redundant, but an index can use it.
        return eb.and([eb('ended_at', '<=', ended), eb.or([eb('ended_at', '<', ended), isOlder])])
      }),
    )
    .orderBy('ended_at', 'desc')
    .orderBy('alert.id', 'desc')
    .limit(barsAtOnce)
    .execute()

function barOf({ id, rule, level, subject_kind: kind, subject_name, item, opened_at, ended_at, agentName }: ReadRow) {
  return {
    id,
    rule,
    level,
    subject: { kind, name: agentName ?? subject_name, ...(item !== '' && { item }) },
    openedAt: opened_at ?? 0,
    endedAt: ended_at,
    ...(kind === 'agent' && agentName === null && { gone: true as const }),
  }
}

// The alerts that a page asks for: by words, by rule, by level.

/** The words, rule and level by which a page selects alerts. */
export interface AlertsWanted {
  /** Words that must all occur in the alert: in its subject, its label, its agents, or the heading of its rule. */
  q?: string | undefined
  rule?: RuleName | undefined
  level?: AlertLevel | undefined
}

type Builder = ExpressionBuilder<Tables, 'alert' | 'agent'>

/** The condition for the wanted rule and level. `hasWords` judges the words. */
const isWanted =
  ({ rule, level }: AlertsWanted) =>
  (eb: Builder): Expression<SqlBool> =>
    eb.and([
      ...(rule === undefined ? [] : [eb('rule', '=', rule)]),
      ...(level === undefined ? [] : [eb('alert.level', '=', level)]),
    ])

type WordedRow = Pick<AlertRow, 'rule' | 'subject_name' | 'item' | 'label' | 'agents'> & { agentName: string | null }

/** Returns a function that is true for a row with the words. SQL is not used, as it ignores case only in ASCII. */
function hasWords({ q }: AlertsWanted): (row: WordedRow) => boolean {
  if (q === undefined) return () => true
  const hasAll = wordSearch(q)
  return ({ rule, subject_name, item, label, agents, agentName }) =>
    hasAll([alertRules[rule].heading, agentName, subject_name, item, label, ...agentNamesIn(agents)])
}

const agentNamesIn = (agents: string | null): string[] =>
  agents === null ? [] : (JSON.parse(agents) as { names: string[] }).names
