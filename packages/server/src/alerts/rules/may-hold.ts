/**
 * For each alert rule about agents, the SQL condition that holds for all agents for which the rule may hold, and for
 * few others. It compares only columns with short values, so the database need not read the bodies of reports.
 */
import type { RuleName } from '@svc/api'
import { type RawBuilder, sql } from 'kysely'
import { type Signs, youngRunMs } from '../../fleet/reports/signs.ts'
import type { Engine } from '../../platform/db/engine.ts'
import { dayOf } from '../../platform/limits/units.ts'
import { minJumpMicro, type Rule } from './conditions.ts'

/** The rules of a workspace, and the time at which they are judged. */
export interface JudgedRules {
  rules: (name: RuleName) => Rule
  now: number
}

/** The rules that are judged by the signs of a report, each with its sign. */
const signOfRule = {
  process: 'process',
  item: 'items',
  binding: 'bindings',
  gauge: 'gauges',
  run_long: 'started',
} as const satisfies Partial<Record<RuleName, keyof Signs>>

const rulesBySign = Object.keys(signOfRule) as (keyof typeof signOfRule)[]

/** True if a rule that is on is judged by the signs of a report. */
export const needSigns = ({ rules }: Pick<JudgedRules, 'rules'>): boolean => rulesBySign.some((name) => rules(name).on)

/** True if the rule `run_long` is about runs that are too young to be among the stored signs. */
export function needsYoungRuns({ rules }: Pick<JudgedRules, 'rules'>): boolean {
  const { on, after } = rules('run_long')
  return on && after < youngRunMs
}

const contains = (column: 'agent_report.signs' | 'warnings' | 'wishes', text: string): RawBuilder<boolean> =>
  sql`${sql.ref(column)} like ${`%${text}%`}`
const hasSign = (name: keyof typeof signOfRule) => contains('agent_report.signs', `"${signOfRule[name]}":`)

/** The conditions of rules that do not depend on other rules. */
const ofRule: Readonly<Partial<Record<RuleName, (judging: JudgedRules) => RawBuilder<boolean>>>> = {
  silent: ({ now }) => sql`(received_at + 90000 <= ${now} and received_at + 3000 * interval_s <= ${now})`,
  bad: () => sql`level = 'bad'`,
  warning: () => sql`level = 'warn'`,
  process: () => hasSign('process'),
  item: () => hasSign('item'),
  status_stale: () => contains('warnings', 'status'),
  disk: () => contains('warnings', 'disk'),
  binding: () => hasSign('binding'),
  update: () => contains('wishes', 'Hold"'),
  run_failed: () => sql`received_at is not null`,
  run_long: (judging) =>
    needsYoungRuns(judging) ? sql`(doing is not null or ${hasSign('run_long')})` : hasSign('run_long'),
  gauge: () => hasSign('gauge'),
  // True if the column has marks of two different reporters.
  two_reporters: () => sql`replace(reporters, substr(reporters, 1, 8), '') <> ''`,
}

/**
 * The SQL conditions of all rules that are on. At least one of them is true for an agent for which a rule may hold. The
 * query must be about the table `agent` with its last report.
 */
export function mayHold(engine: Engine, judging: JudgedRules): RawBuilder<boolean>[] {
  const high = highCost(judging)
  const single = Object.entries(ofRule).filter(([name]) => judging.rules(name as RuleName).on)
  return [
    ...single.map(([, condition]) => condition(judging)),
    ...(needSigns(judging) ? [sql<boolean>`agent_report.signs is null`] : []),
    ...(high === undefined ? [] : [mayBeHigh(engine, high, dayOf(judging.now))]),
  ]
}

/**
 * An agent's cost of today, in millionths of a US dollar, above which the agent's costs are needed for a rule;
 * undefined if no rule that is on needs costs.
 */
export function highCost({ rules }: Pick<JudgedRules, 'rules'>): number | undefined {
  const [jump, day] = [rules('cost_jump'), rules('cost_day')]
  // The rule `cost_day` also judges the sum of a workspace, so the costs of all its agents are needed.
  if (day.on && day.limit !== null) return 0
  return jump.on ? minJumpMicro : undefined
}

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
