/** Subjects of alerts in words. */
import { type AlertSubject, otherItems } from '../answers/alerts.ts'

/**
 * A health item of an agent as the subject of a sentence. `otherItems` stands for all bad items without an alert of
 * their own.
 */
export const itemText = (item: string): string => (item === otherItems ? 'Further health items' : item)

/** The name of the subject of an alert, with the health item that it is about: `Job backup on vela-ada`. */
export const subjectText = ({ name, item }: Pick<AlertSubject, 'name' | 'item'>): string =>
  item === undefined ? name : `${itemText(item)} on ${name}`

const maxNames = 10

/** Joins the names of agents: up to ten of them, then how many more there are. */
export function agentNamesText(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ')
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown
}
