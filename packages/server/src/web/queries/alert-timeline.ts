/** Finds the alerts that a page asks for, and reads those of the last days for a timeline. */
import { setImmediate } from 'node:timers/promises'
import { type AlertBar, type AlertLevel, type AlertTimeline, type RuleName, ruleNames } from '@svc/api'
import { alertRules } from '@svc/api/words'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { fitting, jsonBytes } from './fitting.ts'

export interface AlertsWanted {
  /** Words in the subject of the alert, its label, or the heading of its rule. */
  q?: string | undefined
  rule?: RuleName | undefined
  level?: AlertLevel | undefined
}

type Builder = ExpressionBuilder<Tables, 'alert' | 'agent'>

/** The condition for alerts, joined with the agents that they are about. Without a wish it is true for all. */
export const isWanted =
  ({ q, rule, level }: AlertsWanted) =>
  (eb: Builder): Expression<SqlBool> =>
    eb.and([
      ...(rule === undefined ? [] : [eb('rule', '=', rule)]),
      ...(level === undefined ? [] : [eb('alert.level', '=', level)]),
      ...(q === undefined ? [] : [hasWords(eb, q.toLowerCase())]),
    ])

function hasWords(eb: Builder, words: string): Expression<SqlBool> {
  const pattern = `%${words.replace(/[\\%_]/g, '\\$&')}%`
  const named = ruleNames.filter((name) => alertRules[name].heading.toLowerCase().includes(words))
  const columns = ['agent.name', 'subject_name', 'item', 'alert.label', 'agents'] as const
  return eb.or([
    ...(named.length > 0 ? [eb('rule', 'in', named)] : []),
    ...columns.map((column) => sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`),
  ])
}

/** The most alerts in a timeline, and how many are read at a time: pages and reports are answered in between. */
const [maxBars, barsAtOnce] = [5000, 200]

/** The alerts of a workspace that were open within the last days, as many as fit into an answer of `bytesMax`. */
export async function alertTimeline(
  db: Db,
  { id: scope }: { id: string },
  { days, now, bytesMax, ...wanted }: AlertsWanted & { days: number; now: number; bytesMax: number },
): Promise<AlertTimeline> {
  const since = now - days * dayMs
  const bars: AlertBar[] = []
  for (const isOpen of [true, false]) {
    for (let after: AlertBar | undefined, rest = true; rest && bars.length <= maxBars; ) {
      const rows = await barsAfter(db, { scope, isOpen, since, wanted, after })
      bars.push(...rows)
      after = rows.at(-1)
      rest = rows.length === barsAtOnce
      await setImmediate()
    }
  }
  const rows = await thatFit(bars.slice(0, maxBars), bytesMax)
  return { rows, more: rows.length < bars.length }
}

interface BarsWanted {
  scope: string
  isOpen: boolean
  since: number
  wanted: AlertsWanted
  after: AlertBar | undefined
}

/** The next alerts in the order of their ends, or of their ids if they are open. */
async function barsAfter(db: Db, { scope, isOpen, since, wanted, after }: BarsWanted): Promise<AlertBar[]> {
  const rows = await db
    .selectFrom('alert')
    .leftJoin('agent', (join) => join.onRef('agent.id', '=', 'subject_id').on('subject_kind', '=', 'agent'))
    .select(['alert.id', 'rule', 'alert.level', 'subject_kind', 'subject_name', 'item', 'opened_at', 'ended_at'])
    .select('agent.name as agentName')
    .where('scope', '=', scope)
    .where('opened_at', 'is not', null)
    .where(isWanted(wanted))
    .where('ended_at', isOpen ? 'is' : 'is not', null)
    .$if(!isOpen, (query) => query.where('ended_at', '>', since))
    .$if(after !== undefined, (query) =>
      query.where((eb) => {
        const isOlder = eb('alert.id', '<', after?.id ?? '')
        if (isOpen) return isOlder
        const ended = after?.endedAt ?? 0
        return eb.or([eb('ended_at', '<', ended), eb.and([eb('ended_at', '=', ended), isOlder])])
      }),
    )
    .orderBy('ended_at', 'desc')
    .orderBy('alert.id', 'desc')
    .limit(barsAtOnce)
    .execute()
  return rows.map(({ id, rule, level, subject_kind: kind, subject_name, item, opened_at, ended_at, agentName }) => ({
    id,
    rule,
    level,
    subject: { kind, name: agentName ?? subject_name, ...(item !== '' && { item }) },
    openedAt: opened_at ?? 0,
    endedAt: ended_at,
    ...(kind === 'agent' && agentName === null && { gone: true as const }),
  }))
}

/** The first bars that fit into an answer. */
async function thatFit(bars: readonly AlertBar[], bytesMax: number): Promise<AlertBar[]> {
  const sizes: number[] = []
  for (const [i, bar] of bars.entries()) {
    if (i % barsAtOnce === barsAtOnce - 1) await setImmediate()
    sizes.push(jsonBytes(bar) + 1)
  }
  const kept = fitting(sizes, (size) => size, bytesMax)
  return bars.slice(0, kept.length)
}
