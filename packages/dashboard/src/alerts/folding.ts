/** Pure functions that fold open alerts with one cause into one line. */
import type { AlertLine } from '@svc/api'
import { byUrgency, coveredIn, type MuteCover, statementOf } from './parts/words.ts'

/** The open alerts of one cause, most urgent first. Each is about another agent, unless there is only one alert. */
export interface AlertFold {
  key: string
  alerts: readonly [AlertLine, ...AlertLine[]]
}

/**
 * Folds alerts about agents by their rule and label, and sorts the lines by their most urgent alert. Alerts about
 * something else, or about many agents, are lines of their own.
 */
export function foldAlerts(rows: readonly AlertLine[]): AlertFold[] {
  const folds = new Map<string, [AlertLine, ...AlertLine[]]>()
  for (const alert of rows.toSorted(byUrgency)) {
    const { id, rule, label, agent, agents, subject } = alert
    const key = agent === null || agents !== null ? id : JSON.stringify([rule, label, subject.item ?? null])
    const fold = folds.get(key)
    if (fold) fold.push(alert)
    else folds.set(key, [alert])
  }
  return [...folds].map(([key, alerts]) => ({ key, alerts }))
}

/** The line of a fold: `Level Bad: HTTP 401 from the mailbox: 25 agents`. */
export const foldText = ({ alerts }: AlertFold): string =>
  `${withoutEnd(statementOf(alerts[0]))}: ${new Set(alerts.map(({ agent }) => agent)).size} agents`

/** The words of an agent without the marks at their end, so that a colon can follow. */
const withoutEnd = (text: string): string => text.replace(/[\s.,:;!?…]+$/, '')

/** The mutes that cover these alerts, each once. Only admins may mute more than one agent at a time with one mute. */
export function mutesOf(alerts: readonly AlertLine[], admin: boolean): MuteCover[] {
  const covered = alerts.filter(({ agent, muted }) => !muted && (admin || agent !== null)).map(coveredIn)
  return [...new Map(covered.map((one) => [JSON.stringify([one.agent, one.rule, one.item]), one])).values()]
}
