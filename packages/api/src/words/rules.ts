/** Alert rules: their names, their words, and the settings that only some of them have. */
import { limits } from '@svc/protocol'
import { durationText } from './durations.ts'

/** The settings of a rule that the words of its condition may contain. */
interface ConditionSettings {
  limit: number | null
  statuses: readonly string[] | null
}

interface AlertRule {
  /** The heading of the rule and of its alerts, such as `Offline`. */
  heading: string
  /** The condition in words that follow "when". */
  when: (settings: ConditionSettings) => string
  /** A setting that no other rule has: the limit for the cost of a day, or the statuses of runs that count. */
  setting?: 'limit' | 'statuses'
  /**
   * True if an alert of the rule is about a single event. Such a rule has no minimum duration, since an event does not
   * last, and no escalation, since nobody acknowledges an event.
   */
  isEvent?: true
  /** False if the rule is not about agents, so that no filter can limit it to some of them. */
  isAboutAgents?: false
}

const rules = {
  silent: { heading: 'Offline', when: () => 'any agent is offline' },
  bad: { heading: 'Level Bad', when: () => 'the level of any agent is Bad' },
  item: { heading: 'Bad health item', when: () => 'a health item of any agent is Bad' },
  warning: { heading: 'Level Warning', when: () => 'the level of any agent is Warning' },
  process: { heading: 'Process not running', when: () => 'the process of any agent does not run' },
  status_stale: {
    heading: 'Status file too old',
    when: () =>
      `the status file of any agent is older than ${durationText(limits.statusLateSeconds)} and ${limits.statusLateGaps} times its usual interval, or than ${durationText(limits.statusOnceSeconds)} if it was written only once`,
  },
  binding: { heading: 'Broken binding', when: () => 'a binding of any agent is broken' },
  disk: { heading: 'Disk nearly full', when: () => 'the disk of any agent is full or nearly full' },
  update: { heading: 'Update failed', when: () => 'an update of any agent fails' },
  rollout: { heading: 'Rollout halted', when: () => 'a rollout halts', isAboutAgents: false },
  command: {
    heading: 'Command not carried out',
    when: () => 'a command is refused, fails or expires',
    isEvent: true,
  },
  run_failed: {
    heading: 'Failed runs',
    when: ({ statuses }) => `the last three runs of any agent ended with ${orList(statuses ?? [])}`,
    setting: 'statuses',
  },
  run_long: { heading: 'Long run', when: () => 'a run of any agent is active' },
  cost_day: {
    heading: 'Cost limit',
    when: ({ limit }) =>
      limit === null
        ? 'an agent or the workspace costs more in a day than a limit that you set'
        : `an agent or the workspace costs more than $${limit} in a day`,
    setting: 'limit',
  },
  cost_jump: {
    heading: 'Unusual cost',
    when: () => 'an agent costs more than three times as much today as on a usual day',
  },
  runaway: {
    heading: 'Too many runs',
    when: () => 'an agent starts more than 50 runs in a day, and more than three times as many as on any of 14 days',
  },
  gauge: { heading: 'Gauge at its mark', when: () => 'a gauge of any agent is at its mark' },
  two_reporters: { heading: 'Two machines', when: () => 'two machines report with the token of one agent' },
  service: {
    heading: 'Channel not working',
    when: () => 'a channel of this workspace keeps failing',
    isAboutAgents: false,
  },
} satisfies Readonly<Record<string, AlertRule>>

export type RuleName = keyof typeof rules

/** All rules, in the order in which lists show them. */
export const alertRules: Readonly<Record<RuleName, AlertRule>> = rules
export const ruleNames = Object.keys(rules) as readonly RuleName[]

export type RuleTheme =
  | 'Offline and running'
  | 'Levels and health'
  | 'Runs and cost'
  | 'Updates and commands'
  | 'Channels'

/** The theme of each rule, in the order in which the page shows them. */
export const ruleThemes: Readonly<Record<RuleName, RuleTheme>> = {
  silent: 'Offline and running',
  process: 'Offline and running',
  two_reporters: 'Offline and running',
  bad: 'Levels and health',
  item: 'Levels and health',
  warning: 'Levels and health',
  status_stale: 'Levels and health',
  binding: 'Levels and health',
  disk: 'Levels and health',
  gauge: 'Levels and health',
  run_failed: 'Runs and cost',
  run_long: 'Runs and cost',
  runaway: 'Runs and cost',
  cost_day: 'Runs and cost',
  cost_jump: 'Runs and cost',
  update: 'Updates and commands',
  rollout: 'Updates and commands',
  command: 'Updates and commands',
  service: 'Channels',
}

const orList = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? 'none') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
