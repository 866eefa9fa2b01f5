/**
 * The SQL conditions that choose the agents for which a rule may hold, and few others, from what each rule says about
 * them.
 */
import { type RuleName, ruleNames } from '@svc/api'
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../../platform/db/engine.ts'
import { dayOf } from '../../platform/limits/units.ts'
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

/** True if the rule `run_long` is about runs that are too young to be among the stored signs. */
export function needsYoungRuns({ rules }: Pick<JudgedRules, 'rules'>): boolean {
  const rule = rules('run_long')
  return rule.on && isAboutYoungRuns(rule)
}

/**
 * The SQL conditions of all rules that are on. At least one of them is true for an agent for which a rule may hold. The
 * query must be about the table `agent` with its last report.
 */
export function mayHold(engine: Engine, judging: JudgedRules): RawBuilder<boolean>[] {
  const high = highCost(judging)
  return [
    ...rulesOn(judging).flatMap(({ rule, mayHold }) =>
      typeof mayHold === 'function' ? [mayHold({ rule, now: judging.now })] : [],
    ),
    ...(isNeeded('signs', judging) ? [sql<boolean>`agent_report.signs is null`] : []),
    ...(high === undefined ? [] : [mayBeHigh(engine, high, dayOf(judging.now))]),
  ]
}

/**
 * An agent's cost of today, in millionths of a US dollar, above which the agent's costs are needed for a rule;
 * undefined if no rule that is on needs costs.
 */
export function highCost(judging: Pick<JudgedRules, 'rules'>): number | undefined {
  const costs = rulesOn(judging).flatMap(({ rule, mayHold }) =>
    typeof mayHold === 'function' ? [] : (mayHold.costAbove(rule) ?? []),
  )
  return costs.length === 0 ? undefined : Math.min(...costs)
}

/** The rules about agents that are on, each with what it says about the agents for which it may hold. */
const rulesOn = ({ rules }: Pick<JudgedRules, 'rules'>) =>
  ruleNames.map(rules).flatMap((rule) => {
    const record = ruleRecords[rule.name]
    return rule.on && 'mayHold' in record ? [{ rule, mayHold: record.mayHold }] : []
  })

/**
 * A condition for agents whose cost on a day may be above the limit. The cost is the sum of a row in `usage_day` and of
 * a cost stored with the last report, so one of these two is above half of the limit. The cost with the last report is
 * only compared by its number of digits.
 */
function mayBeHigh(engine: Engine, limit: number, day: number): RawBuilder<boolean> {
  const half = Math.floor(limit / 2)
  const digits = '[0-9]'.repeat(String(half).length)
  // The costs stored with the last report are JSON such as [[20000,"",1,2,3]]: day, model, runs, cost, tokens.
  const waits =
    engine === 'sqlite'
      ? sql`usage glob ${`*[[]${day},"",*,${digits}*`}`
      : sql`usage ~ ${`\\[${day},"",[0-9]+,${digits}`}`
  return sql<boolean>`(${waits} or exists (select 1 from usage_day where usage_day.agent_id = agent.id and model = ''
    and usage_day.day = ${day} and usage_day.cost_micro > ${half}))`
}
