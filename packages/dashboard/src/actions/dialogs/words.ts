/** Pure functions and tables that put actions and their outcomes into words. */
import type { ActionPreview, ActionRow, ActionState, ActionType, neverReported } from '@svc/api'
import { actionStates } from '../../paths.ts'

type OutcomeTone = 'waiting' | 'told' | 'good' | 'no' | 'lost' | 'plain'

const number = (n: number): string => n.toLocaleString('en-US')
/** A number of agents in words, such as `1 agent` or `1,200 agents`. */
export const agentsIn = (n: number): string => `${number(n)} ${n === 1 ? 'agent' : 'agents'}`

/** The names of the types of actions, as buttons and titles show them. */
export const typeWords: Readonly<Record<ActionType, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  run_now: 'Run now',
  set: 'Change settings',
  log: 'Request a log',
  lift: 'Lift holds',
  delete: 'Delete',
}

/** The words for each state. Their order is that of the bars: finished, pending, not sent. */
export const outcomeWords: Readonly<Record<ActionState, { word: string; tone: OutcomeTone; means: string }>> = {
  applied: { word: 'applied', tone: 'good', means: 'The agent carried it out.' },
  refused: { word: 'refused', tone: 'no', means: 'The agent refused it.' },
  failed: { word: 'failed', tone: 'lost', means: 'No answer came in time, or the agent no longer offers it.' },
  expired: { word: 'expired', tone: 'lost', means: 'It was never delivered, because no report came in ten minutes.' },
  sent: { word: 'sent', tone: 'told', means: 'It was delivered; the agent has not answered yet.' },
  waiting: { word: 'waiting', tone: 'told', means: 'It will be delivered with the next report.' },
  skipped: { word: 'skipped', tone: 'plain', means: 'Nothing was sent.' },
  cancelled: { word: 'cancelled', tone: 'plain', means: 'Somebody cancelled it before it was delivered.' },
}

/** The reasons that are shown if there is no message. */
const defaultReasons: Partial<Record<ActionState, string>> = {
  refused: 'The agent gave no reason.',
  failed: 'It was delivered, but no answer came within ten minutes.',
  expired: 'No report came within ten minutes, so it was never delivered.',
}
/** Returns the reason for an agent's outcome: its message, or the default for the state; null if there is none. */
export const outcomeReason = ({ state, message }: { state: ActionState; message: string | null }): string | null =>
  message ?? defaultReasons[state] ?? null

/**
 * Groups the agents of an action by outcome and reason. Outcomes that need a person come first; within an outcome, the
 * largest group does.
 */
export function groupsIn<T extends { state: ActionState; message: string | null }>(agents: readonly T[]) {
  const groups = Map.groupBy(agents, (agent) => `${agent.state} ${outcomeReason(agent)}`)
  const at = (state: ActionState) => actionStates.indexOf(state)
  return [...groups.values()]
    .flatMap((all) => (all[0] ? [{ state: all[0].state, reason: outcomeReason(all[0]), agents: all }] : []))
    .sort((a, b) => at(a.state) - at(b.state) || b.agents.length - a.agents.length)
}

/** The state of an action as a whole, for its line in the list and for its page. */
export function actionProgressOf(counts: ActionRow['counts']): { word: string; tone: OutcomeTone } {
  if (counts.waiting + counts.sent > 0) return { word: 'in progress', tone: 'told' }
  const lost = counts.refused + counts.failed + counts.expired
  if (lost > 0) return { word: `finished, ${number(lost)} unsuccessful`, tone: 'lost' }
  return counts.applied > 0 ? { word: 'finished', tone: 'good' } : { word: 'nothing was done', tone: 'plain' }
}

const totalOf = (counts: ActionRow['counts']): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The title of an action, such as `Pause: 12 agents`. */
export const actionTitleOf = ({ type, counts }: Pick<ActionRow, 'type' | 'counts'>): string =>
  `${typeWords[type]}: ${agentsIn(totalOf(counts))}`

/** A copy of the service's constant. The compiler checks that both are the same. */
const withoutReport: typeof neverReported = 'The agent has never reported.'

/** The words about the agents that are skipped, for one agent and for several. */
const misfitWords: Readonly<Record<ActionType, readonly [one: string, many: string]>> = {
  pause: ['does not offer Pause', 'do not offer Pause'],
  resume: ['does not offer Resume', 'do not offer Resume'],
  run_now: ['does not offer Run now', 'do not offer Run now'],
  set: ['does not accept this', 'do not accept this'],
  log: ['does not offer this log', 'do not offer this log'],
  lift: ['holds no version', 'hold no version'],
  delete: ['has reported', 'have reported'],
}

/**
 * Returns words such as `38 of 40: 2 do not offer Pause`: how many agents an action reaches, and why it skips the
 * others. Null if it skips none.
 */
export function previewWords(type: ActionType, { sends, skips, leftOff }: ActionPreview): string | null {
  if (skips.length === 0) return null
  const rest = leftOff?.skips ?? 0
  const never = skips.filter(({ message }) => message === withoutReport).length
  const others = skips.length - never
  const parts = [
    others > 0 && `${number(others)} ${misfitWords[type][others === 1 ? 0 : 1]}`,
    never > 0 && `${number(never)} never reported`,
    rest > 0 && `${number(rest)} more for reasons that are not listed`,
  ].filter((part) => part !== false)
  return `${number(sends)} of ${number(sends + skips.length + rest)}: ${parts.join(', ')}`
}

/** The agents that are skipped for each reason, the most frequent reason first. */
export function reasonsIn({ skips }: Pick<ActionPreview, 'skips'>): { message: string; names: string[] }[] {
  const reasons = Map.groupBy(skips, ({ message }) => message)
  return [...reasons]
    .map(([message, all]) => ({ message, names: all.map(({ name }) => name) }))
    .sort((a, b) => b.names.length - a.names.length)
}
