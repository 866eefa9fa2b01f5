/**
 * The alert rules, each with its defaults, its condition, the facts that it needs and the words of its messages. A rule
 * without one of them does not compile. A rule that also judges a whole workspace, such as `cost_day`, needs code in
 * more files: evaluation/findings.ts and evaluation/facts.ts judge its sum, changes/rules.ts and packages/api
 * (operations/alerts.ts, words/rules.ts) hold its setting, and web/queries/costs.ts shows its limit.
 */
import type { RuleName } from '@svc/api'
import { failedStatuses, pausedLabel } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'
import { type ReportSigns, youngRunMs } from '../../fleet/reports/signs.ts'
import {
  type AlertFacts,
  type ConditionFinding,
  clearFinding,
  costJump,
  costOfDay,
  failedRuns,
  holdsOrClear,
  isReportOverdue,
  judgeRunaway,
  longRun,
  maxUsualRuns,
  minJumpMicro,
  offlineFinding,
  overFinding,
  type Rule,
  type RuleMoment,
  stoppedFinding,
  unknownFinding,
} from './conditions.ts'
import { eventWords, lastingStateWords, type RuleRecord, ruleOfAgents, ruleWordedByAgents } from './rule.ts'

const minute = 60_000
const hour = 60 * minute

const columnContains = (column: 'agent_report.signs' | 'warnings' | 'wishes', text: string): RawBuilder<boolean> =>
  sql`${sql.ref(column)} like ${`%${text}%`}`
const hasSign = (sign: keyof ReportSigns): RawBuilder<boolean> => columnContains('agent_report.signs', `"${sign}":`)

export const ruleRecords: Readonly<Record<RuleName, RuleRecord>> = {
  silent: ruleOfAgents({
    ...{ on: true, after: 10 * minute, level: 'bad' },
    facts: ['receivedAt', 'intervalSeconds', 'hours'],
    condition: (agent, _rule, moment) => offlineFinding(agent, moment),
    mayHold: ({ now }) => sql`(received_at + 90000 <= ${now} and received_at + 3000 * interval_s <= ${now})`,
    whileOffline: 'judged',
    words: lastingStateWords('offline', 'going offline and coming back'),
  }),
  bad: ruleWordedByAgents({
    ...{ on: true, after: 2 * minute, level: 'bad' },
    facts: ['level', 'label'],
    condition: ({ level, label }) => holdsOrClear(level === 'bad', label ?? undefined),
    mayHold: () => sql`level = 'bad'`,
    whilePaused: 'ends',
    words: lastingStateWords('at level Bad', 'changing its level to Bad and back'),
  }),
  item: {
    about: 'items',
    ...{ on: true, after: 2 * minute, level: 'bad' },
    facts: ['signs'],
    mayHold: () => hasSign('items'),
    words: lastingStateWords('bad', 'turning bad and recovering'),
  },
  warning: ruleWordedByAgents({
    ...{ on: false, after: 30 * minute, level: 'warn' },
    facts: ['level', 'label'],
    condition: ({ level, label }) => holdsOrClear(level === 'warn', label ?? undefined),
    mayHold: () => sql`level = 'warn'`,
    whilePaused: 'ends',
    words: lastingStateWords('at level Warning', 'changing its level to Warning and back'),
  }),
  process: ruleOfAgents({
    ...{ on: true, after: 2 * minute, level: 'bad' },
    facts: ['signs', 'paused'],
    condition: ({ signs, paused }) => holdsOrClear(signs.process !== null && !paused),
    mayHold: () => hasSign('process'),
    whilePaused: 'ends',
    words: lastingStateWords('without a running process', 'losing its process'),
  }),
  status_stale: ruleOfAgents({
    ...{ on: true, after: 0, level: 'warn' },
    facts: ['statusStale'],
    condition: ({ statusStale }) => holdsOrClear(statusStale),
    mayHold: () => columnContains('warnings', 'status'),
    whilePaused: 'ends',
    words: lastingStateWords('without a fresh status file', 'letting its status file grow old'),
  }),
  disk: ruleOfAgents({
    ...{ on: true, after: 0, level: 'warn' },
    facts: ['diskFull'],
    condition: ({ diskFull }) => holdsOrClear(diskFull),
    mayHold: () => columnContains('warnings', 'disk'),
    words: lastingStateWords('on a disk that is nearly full', 'filling its disk'),
  }),
  binding: ruleWordedByAgents({
    ...{ on: true, after: 10 * minute, level: 'warn' },
    facts: ['signs'],
    condition: ({ signs: { bindings } }) => holdsOrClear(bindings.length > 0, bindings.join(', ')),
    mayHold: () => hasSign('bindings'),
    words: lastingStateWords('unable to use a binding', 'losing a binding'),
  }),
  update: ruleOfAgents({
    ...{ on: true, after: 0, level: 'bad' },
    facts: ['update'],
    condition: ({ update }) =>
      update
        ? holdsOrClear(true, `${update.version} ${update.outcome === 'rolled_back' ? 'was rolled back' : 'failed'}`)
        : clearFinding,
    mayHold: () => columnContains('wishes', 'Hold"'),
    afterStop: 'stays',
    words: eventWords('could not be updated', 'failing to update'),
  }),
  rollout: {
    about: 'rollout',
    ...{ on: true, after: 0, level: 'bad' },
    condition: ({ state }) => holdsOrClear(state === 'halted'),
    words: eventWords('is halted', 'halting'),
  },
  command: {
    about: 'command',
    ...{ on: false, after: 0, level: 'warn' },
    words: eventWords('did not carry out a command', 'not carrying out commands'),
  },
  run_failed: ruleOfAgents({
    ...{ on: false, after: 0, level: 'bad', statuses: failedStatuses },
    facts: ['runs'],
    condition: ({ runs }, { statuses }) => {
      const last = runs.slice(0, failedRuns)
      return holdsOrClear(
        last.length === failedRuns && last.every((status) => status !== null && statuses?.includes(status)),
      )
    },
    mayHold: () => sql`received_at is not null`,
    words: eventWords('had three failed runs in a row', 'having failed runs'),
  }),
  run_long: ruleOfAgents({
    ...{ on: false, after: 2 * hour, level: 'warn' },
    facts: ['signs'],
    condition: ({ signs: { started } }, { after }, { now }) => longRun(started, after, now),
    mayHold: ({ rule }) =>
      isAboutYoungRuns(rule) ? sql`(doing is not null or ${hasSign('started')})` : hasSign('started'),
    words: {
      ...{ begins: 'has an active run', is: 'has had an active run', was: 'had an active run' },
      keeps: 'having long runs',
    },
  }),
  cost_day: ruleOfAgents({
    ...{ on: false, after: 0, level: 'warn', limit: null },
    facts: ['cost'],
    condition: ({ cost }, rule) => costOfDay(cost.today, rule),
    // The rule also judges the sum of a workspace, so the costs of all its agents are needed.
    mayHold: { costAbove: ({ limit }) => (limit === null ? undefined : 0) },
    ...{ whileOffline: 'judged', afterStop: 'stays' },
    words: eventWords('cost more today than its limit', 'costing more than its limit'),
  }),
  cost_jump: ruleOfAgents({
    ...{ on: true, after: 0, level: 'warn' },
    facts: ['cost'],
    condition: ({ cost }) => costJump(cost),
    mayHold: { costAbove: () => minJumpMicro },
    ...{ whileOffline: 'judged', afterStop: 'stays' },
    words: eventWords('cost more than three times as much today as on a usual day', 'costing more than usual'),
  }),
  runaway: ruleOfAgents({
    ...{ on: true, after: 0, level: 'warn' },
    facts: ['starts'],
    condition: ({ starts }) => judgeRunaway(starts),
    mayHold: { runsAbove: maxUsualRuns },
    ...{ whileOffline: 'judged', afterStop: 'stays' },
    words: eventWords(
      'started more than three times as many runs today as on any of 14 days',
      'starting too many runs',
    ),
  }),
  gauge: ruleWordedByAgents({
    ...{ on: false, after: 10 * minute, level: 'warn' },
    facts: ['signs'],
    condition: ({ signs: { gauges } }) => holdsOrClear(gauges.length > 0, gauges.join(', ')),
    mayHold: () => hasSign('gauges'),
    words: lastingStateWords('at the mark of a gauge', 'reaching the mark of a gauge'),
  }),
  two_reporters: ruleOfAgents({
    ...{ on: true, after: 0, level: 'warn' },
    // An agent that reports every 30 s sends ten reports in this time, and the rule judges by the last ten reports.
    endDelayMs: 5 * minute,
    facts: ['twoReporters'],
    condition: ({ twoReporters }) => holdsOrClear(twoReporters),
    // True if the column has marks of two different reporters.
    mayHold: () => sql`replace(reporters, substr(reporters, 1, 8), '') <> ''`,
    words: eventWords('has two machines that report with its token', 'having two machines that report'),
  }),
  service: {
    about: 'service',
    ...{ on: true, after: 0, level: 'bad' },
    words: eventWords('needs attention', 'needing attention'),
    // The heading on the page is about channels, but in `@service` the rule also judges the service itself.
    heading: 'Service',
  },
}

export function defaultRule(name: RuleName): Rule {
  const { on, after, level, limit = null, statuses = null } = ruleRecords[name]
  return { name, on, after, level, limit, statuses, reminds: true }
}

const isJudgedWhileOffline = (rule: RuleRecord): boolean => rule.about === 'agent' && rule.whileOffline === 'judged'

/** The names of the rules that judge single agents. */
export const agentRules = (Object.keys(ruleRecords) as RuleName[]).filter((name) => ruleRecords[name].about === 'agent')

/** The rules that are judged even while the agent sends no reports. */
export const offlineAgentRules = agentRules.filter((name) => isJudgedWhileOffline(ruleRecords[name]))

/** True if agents choose the words of this rule's alerts. */
export function isWordedByAgents(name: RuleName): boolean {
  const rule = ruleRecords[name]
  return rule.about === 'items' || (rule.about === 'agent' && rule.present !== undefined)
}

/** True if the condition of this rule needs a fact. */
export function needsFact(name: RuleName, fact: keyof AlertFacts): boolean {
  const rule = ruleRecords[name]
  return 'facts' in rule && rule.facts.includes(fact)
}

/** True if the rule `run_long` is about runs that are too young to be among the stored signs. */
export const isAboutYoungRuns = ({ after }: Pick<Rule, 'after'>): boolean => after < youngRunMs

/**
 * Judges a rule for an agent. While the agent is offline, most rules give `unknown`, so their alerts stay as they are.
 */
export function judgeForAgent(rule: Rule, agent: AlertFacts, moment: RuleMoment): ConditionFinding {
  const record = ruleRecords[rule.name]
  if (record.about !== 'agent' || !rule.on) return overFinding
  if (agent.receivedAt === null) return clearFinding
  const isStopped = agent.stopped === 'person'
  if (isStopped && record.afterStop !== 'stays') return stoppedFinding
  if (!isStopped && isReportOverdue(agent, moment.now) && !isJudgedWhileOffline(record)) return unknownFinding
  const finding = record.condition(agent, rule, moment)
  const isPaused = agent.label === pausedLabel && record.whilePaused === 'ends'
  return isPaused && finding.is === 'clear' ? { is: 'clear', because: 'paused' } : finding
}

/** Judges a rule about rollouts for one rollout. */
export function judgeForRollout({ name, on }: Pick<Rule, 'name' | 'on'>, rollout: { state: string }): ConditionFinding {
  const record = ruleRecords[name]
  return on && record.about === 'rollout' ? record.condition(rollout) : overFinding
}

/** The maximum time for which a condition must be gone before its alert ends, unless the rule has an `endDelayMs`. */
const maxEndMs = 2 * minute

/** The milliseconds for which the condition of a rule must be gone before its alert ends. */
export const endDelayOf = ({ name, after }: Pick<Rule, 'name' | 'after'>): number =>
  ruleRecords[name].endDelayMs ?? Math.min(after, maxEndMs)
