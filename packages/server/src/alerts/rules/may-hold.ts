/**
 * The SQL conditions that choose the agents for which a rule may hold, and few others. They are made from the field
 * `mayHold` of each rule.
 */
import { type RuleName, ruleNames } from '@svc/api'
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../../platform/db/engine.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import type { AlertFacts, Rule } from './conditions.ts'
import { isAboutYoungRuns, needsFact, ruleRecords } from './rules.ts'

/** The rules of a workspace, and the time at which they are judged. */
export interface JudgedRules {
  rules: (name: RuleName) => Rule
  now: number
}

/** True if a rule that is on needs this fact. */
export const isNeeded = (fact: keyof AlertFacts, { rules }: Pick<JudgedRules, 'rules'>): boolean =>
  ruleNames.some((name) => needsFact(name, fact) && rules(name).on)

/** True if the rule `run_long` is on and about runs that are too young to be among the stored signs. */
export function needsYoungRuns({ rules }: Pick<JudgedRules, 'rules'>): boolean {
  const rule = rules('run_long')
  return rule.on && isAboutYoungRuns(rule)
}

/**
 * The SQL conditions of all rules that are on. At least one of them is true for an agent for which a rule may hold. The
 * query must be about the table `agent` with its last report.
 */
export function mayHold(engine: Engine, judging: JudgedRules): RawBuilder<boolean>[] {
  const high = highSums(judging)
  return [
    ...rulesOn(judging).flatMap(({ rule, mayHold }) =>
      typeof mayHold === 'function' ? [mayHold({ rule, now: judging.now })] : [],
    ),
    ...(isNeeded('signs', judging) ? [sql<boolean>`agent_report.signs is null`] : []),
    ...(high === undefined ? [] : [mayBeHigh(engine, high, dayNumber(judging.now))]),
  ]
}

interface HighSums {
  /** In millionths of a US dollar; undefined if no rule that is on needs costs. */
  cost: number | undefined
  /** Undefined if no rule that is on needs the number of runs. */
  runs: number | undefined
}

/**
 * The limits for an agent's cost and runs of today. The sums of an agent are needed only if it is above one of them;
 * undefined if no rule that is on needs sums.
 */
export function highSums(judging: Pick<JudgedRules, 'rules'>): HighSums | undefined {
  const all = rulesOn(judging)
  const costs = all.flatMap(({ rule, mayHold }) => ('costAbove' in mayHold ? (mayHold.costAbove(rule) ?? []) : []))
  const runs = all.flatMap(({ mayHold }) => ('runsAbove' in mayHold ? [mayHold.runsAbove] : []))
  if (costs.length + runs.length === 0) return undefined
  return {
    cost: costs.length === 0 ? undefined : Math.min(...costs),
    runs: runs.length === 0 ? undefined : Math.min(...runs),
  }
}

/** The enabled rules about agents or their items, each with its field `mayHold`. */
const rulesOn = ({ rules }: Pick<JudgedRules, 'rules'>) =>
  ruleNames.map(rules).flatMap((rule) => {
    const record = ruleRecords[rule.name]
    return rule.on && 'mayHold' in record ? [{ rule, mayHold: record.mayHold }] : []
  })

/**
 * A condition for agents whose cost or number of runs on a day may be above these sums. One part of a value is in
 * `usage_day` and one in the last report, so at least one of them must be above half. The part in the last report is
 * JSON, so only its number of digits is compared, and for runs also the first digit.
 */
function mayBeHigh(engine: Engine, { cost, runs }: HighSums, day: number): RawBuilder<boolean> {
  const written: RawBuilder<boolean>[] = []
  // The sums stored with the last report are JSON such as [[20000,"",1,2,3]]: day, model, runs, cost, tokens.
  const waiting: string[] = []
  if (cost !== undefined) {
    const half = Math.floor(cost / 2)
    written.push(sql`usage_day.cost_micro > ${half}`)
    waiting.push(`*,${digits(half)}`)
  }
  if (runs !== undefined) {
    const half = Math.floor(runs / 2)
    written.push(sql`usage_day.runs > ${half}`)
    const [first = ''] = String(half)
    waiting.push(`[${first}-9]${digits(half).slice('[0-9]'.length)},`, `${digits(half)}[0-9]`)
  }
  const waits = waiting.map((pattern) =>
    engine === 'sqlite'
      ? sql`usage glob ${`*[[]${day},"",${pattern}*`}`
      : sql`usage ~ ${`\\[${day},"",${pattern.replace('*', '[0-9]+')}`}`,
  )
  return sql<boolean>`(${sql.join(waits, sql` or `)} or exists (select 1 from usage_day
    where usage_day.agent_id = agent.id and model = '' and usage_day.day = ${day}
    and (${sql.join(written, sql` or `)})))`
}

/** A pattern for a number with at least as many digits as this one. */
const digits = (number: number): string => '[0-9]'.repeat(String(number).length)
