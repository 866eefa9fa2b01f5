/** The subjects by which the activity is filtered, each with the kinds of lines that belong to it. */

/** A kind is the first word of an action: `agent` for `agent.created`. */
export const subjects = {
  agents: { name: 'Agents', kinds: ['agent', 'code', 'bot', 'view'] },
  commands: { name: 'Commands and logs', kinds: ['command', 'action', 'log'] },
  updates: { name: 'Updates', kinds: ['blueprint', 'wish', 'hold', 'rollout'] },
  alerts: { name: 'Alerts', kinds: ['alert', 'rule', 'channel', 'delivery'] },
  people: { name: 'People', kinds: ['member', 'person'] },
  workspace: { name: 'Workspace', kinds: ['workspace', 'activity'] },
} as const satisfies Record<string, { name: string; kinds: readonly string[] }>

export type ActivitySubject = keyof typeof subjects

export const isSubject = (word: unknown): word is ActivitySubject =>
  typeof word === 'string' && Object.hasOwn(subjects, word)

/** The subject of a line; undefined for a kind that this version of the page does not know. */
export function subjectOf(action: string): ActivitySubject | undefined {
  const kind = action.split('.')[0] ?? ''
  return (Object.keys(subjects) as ActivitySubject[]).find((one) =>
    (subjects[one].kinds as readonly string[]).includes(kind),
  )
}
