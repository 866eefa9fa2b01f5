/** Subjects of alerts, and their words. */

/** The agent, rollout, workspace or service that an alert is about. For a workspace, `name` is its slug. */
export interface AlertSubject {
  kind: 'agent' | 'rollout' | 'workspace' | 'service'
  name: string
  /** The health item that an alert of the rule `item` is about, or `otherItems`. Absent for all other rules. */
  item?: string
}

/** Stands for all bad health items of an agent that have no alert of their own; one alert covers them together. */
export const otherItems = '*'

/** The name of a health item as the subject of a sentence. */
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
