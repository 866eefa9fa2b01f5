/** The alerts that a page asks for: by words, by rule, by level. */
import type { AlertLevel, RuleName } from '@svc/api'
import { wordSearch } from '@svc/api/filter'
import { alertRules } from '@svc/api/words'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { AlertRow, Tables } from '../../platform/db/tables.ts'

export interface AlertsWanted {
  /** Words that must all occur in the subject of the alert, its label, or the heading of its rule. */
  q?: string | undefined
  rule?: RuleName | undefined
  level?: AlertLevel | undefined
}

type Builder = ExpressionBuilder<Tables, 'alert' | 'agent'>

/** The condition for alerts by rule and level; without both it is true for all. `hasWords` judges the words. */
export const isWanted =
  ({ rule, level }: AlertsWanted) =>
  (eb: Builder): Expression<SqlBool> =>
    eb.and([
      ...(rule === undefined ? [] : [eb('rule', '=', rule)]),
      ...(level === undefined ? [] : [eb('alert.level', '=', level)]),
    ])

type Worded = Pick<AlertRow, 'rule' | 'subject_name' | 'item' | 'label' | 'agents'> & { agentName: string | null }

/** Returns a function that is true for a row with the words. SQL would ignore case only in ASCII. */
export function hasWords({ q }: AlertsWanted): (row: Worded) => boolean {
  if (q === undefined) return () => true
  const hasAll = wordSearch(q)
  return ({ rule, subject_name, item, label, agents, agentName }) =>
    hasAll([alertRules[rule].heading, agentName, subject_name, item, label, ...agentNamesIn(agents)])
}

const agentNamesIn = (agents: string | null): string[] =>
  agents === null ? [] : (JSON.parse(agents) as { names: string[] }).names
