/**
 * Facts about agents for tests: those of an agent without problems, and for each alert rule those for which it holds,
 * with what becomes of its alert. A rule about agents without a case does not compile.
 */
import type { RuleName } from '@svc/api'
import { readReport } from '@svc/protocol'
import { noSigns, signsOf } from '../../../fleet/reports/signs.ts'
import type { AlertFacts, EndCause } from '../conditions.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** The facts about an agent that reports at `receivedAt` and has no problem, except for those in `more`. */
export const agentFacts = ({
  receivedAt,
  ...more
}: Pick<AlertFacts, 'receivedAt'> & Partial<AlertFacts>): AlertFacts => ({
  receivedAt,
  intervalSeconds: 30,
  stopped: null,
  paused: false,
  level: 'ok',
  label: null,
  statusStale: false,
  diskFull: false,
  signs: noSigns,
  update: null,
  runs: [],
  cost: { today: 0, before: [] },
  starts: { today: 0, before: [] },
  twoReporters: false,
  hours: null,
  ...more,
})

/** The effect of an event on an open alert. `none` is a case that does not exist. */
export type EventEffect = 'stays' | 'closes' | `closes, ${EndCause}` | 'over' | 'none'

interface RuleCase {
  /** Facts for which the rule holds at a time, with names that the agent chose. */
  holds: (names: readonly string[], at: number) => Partial<AlertFacts>
  /** The effects on the alert if the agent is stopped, if it is paused, and if the job in the alert is removed. */
  fates: Record<'stopped' | 'paused' | 'jobGone', EventEffect>
}

/** The signs of a report with these parts, as the service reads them. */
function signsIn(parts: object, at: number): Pick<AlertFacts, 'signs'> {
  const read = readReport(Buffer.from(JSON.stringify({ protocol: 1, ...parts })), at)
  if (!read.ok) throw new Error(read.message)
  return { signs: signsOf(read.value) }
}

/**
 * A stop closes the alerts that only reports can end, since no report follows. It leaves the alerts that people at the
 * service or the clock end.
 */
export const ruleCases: Readonly<Record<Exclude<RuleName, 'rollout' | 'command' | 'service'>, RuleCase>> = {
  // A stopped agent is not missed. A paused one reports.
  silent: {
    holds: (_names, at) => ({ receivedAt: at - 60 * minute }),
    fates: { stopped: 'closes, stopped', paused: 'none', jobGone: 'none' },
  },
  bad: {
    holds: ([label]) => ({ level: 'bad', label: label ?? null }),
    fates: { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none' },
  },
  warning: {
    holds: ([label]) => ({ level: 'warn', label: label ?? null }),
    fates: { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none' },
  },
  // The items of a paused agent are reported as before.
  item: {
    holds: (names, at) => signsIn({ health: names.map((name) => ({ name, level: 'bad' })) }, at),
    fates: { stopped: 'closes, stopped', paused: 'stays', jobGone: 'closes' },
  },
  process: {
    holds: (_names, at) => signsIn({ health: [{ name: 'Process', level: 'bad' }] }, at),
    fates: { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none' },
  },
  status_stale: {
    holds: () => ({ statusStale: true }),
    fates: { stopped: 'closes, stopped', paused: 'closes, paused', jobGone: 'none' },
  },
  binding: {
    holds: (names, at) => signsIn({ health: names.map((name) => ({ name: `Binding ${name}`, level: 'bad' })) }, at),
    fates: { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none' },
  },
  disk: {
    holds: () => ({ diskFull: true }),
    fates: { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none' },
  },
  gauge: {
    holds: (names, at) => signsIn({ gauges: names.map((name) => ({ name, used: 2, limit: 2, mark: 1 })) }, at),
    fates: { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none' },
  },
  // The version is held by the service until an admin lifts the hold or requests another version.
  update: {
    holds: ([version = '']) => ({ update: { version, outcome: 'failed' } }),
    fates: { stopped: 'stays', paused: 'stays', jobGone: 'none' },
  },
  run_failed: {
    holds: () => ({ runs: ['failed', 'failed', 'failed'] }),
    fates: { stopped: 'closes, stopped', paused: 'stays', jobGone: 'stays' },
  },
  run_long: {
    holds: (names, at) => signsIn({ active: names.map((id) => ({ id, started: (at - day) / 1000 })) }, at),
    fates: { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none' },
  },
  // The costs of a day never fall, so nothing but the end of the day ends the alert.
  cost_day: {
    holds: () => ({ cost: { today: 2_000_000, before: [] } }),
    fates: { stopped: 'stays', paused: 'stays', jobGone: 'stays' },
  },
  cost_jump: {
    holds: () => ({ cost: { today: 9_000_000, before: [1, 1, 1] } }),
    fates: { stopped: 'stays', paused: 'stays', jobGone: 'stays' },
  },
  runaway: {
    holds: () => ({ starts: { today: 99, before: [1, 1, 1] } }),
    fates: { stopped: 'stays', paused: 'stays', jobGone: 'stays' },
  },
  two_reporters: {
    holds: () => ({ twoReporters: true }),
    fates: { stopped: 'closes, stopped', paused: 'stays', jobGone: 'none' },
  },
}
export const casesByRule = Object.entries(ruleCases) as readonly [keyof typeof ruleCases, RuleCase][]
