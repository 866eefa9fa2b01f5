/** Subjects of alerts, and their words. */

/** The agent, rollout, workspace or service that an alert is about. For a workspace, `name` is its slug. */
export interface AlertSubject {
  kind: 'agent' | 'rollout' | 'workspace' | 'service'
  name: string
  /**
   * The health item of the agent that an alert of the rule `item` is about, or `otherItems`; absent for all other
   * alerts.
   */
  item?: string
}

/**
 * The item of an alert about all bad health items of an agent that have no alert of their own, since there are too
 * many.
 */
export const otherItems = '*'

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
