/** The themes by which the page groups the rules. */
import type { RuleName, RuleSettings } from '@svc/api'

type Theme = 'Offline and running' | 'Levels and health' | 'Runs and cost' | 'Updates and commands' | 'Channels'

/** The theme of each rule, in the order of the page. */
const themes: Readonly<Record<RuleName, Theme>> = {
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
const order = Object.keys(themes)

/** Groups rules by their themes. */
export const byTheme = (rules: readonly RuleSettings[]): [theme: Theme, rules: RuleSettings[]][] => [
  ...Map.groupBy(
    rules.toSorted((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule)),
    ({ rule }) => themes[rule],
  ),
]
