/**
 * The kinds of actions whose lines may be summed up, when a person has very many of them. All other lines are evidence,
 * also those of a new kind: they record actions that needed a proof, or that changed rights, tokens, versions or
 * accounts. Evidence has a limit of its own, so lines of the ordinary kinds never remove it, however many there are.
 */
const ordinaryKinds = [
  ...['activity.folded', 'action.cancelled', 'command.sent', 'log.read', 'log.downloaded'],
  ...['agent.created', 'agent.installed', 'agent.renamed', 'agent.tagged', 'agent.hours_changed'],
  ...['alert.acknowledged', 'alert.muted', 'alert.unmuted', 'alert.settings_changed', 'rule.changed'],
  ...['channel.added', 'channel.changed', 'channel.removed', 'channel.tested', 'delivery.retried'],
  ...['channel.enabled', 'channel.disabled', 'code.revoked'],
  ...['member.invitation_withdrawn', 'person.renamed', 'person.sessions_ended'],
  ...['view.saved', 'view.renamed', 'view.removed', 'workspace.renamed'],
] as const

/** The kinds of lines in the activity that may be summed up. */
export const foldableKinds: readonly string[] = ordinaryKinds

/** True for a kind of line, such as `agent.created`, and for the word with which kinds begin, such as `agent`. */
export const isKindOfActivity = (word: string): boolean => /^[a-z]+(\.[a-z_]+)?$/.test(word)
