/**
 * The kinds of ordinary actions. All other kinds are evidence, also new ones: actions that needed a proof, or that
 * changed rights, tokens, versions or accounts. Evidence has a higher limit of its own, so ordinary lines never
 * displace it.
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

/** The kinds of ordinary actions, as text. */
export const foldableKinds: readonly string[] = ordinaryKinds

/** True for a kind of line, such as `agent.created`, and for the word with which kinds begin, such as `agent`. */
export const isKindOfActivity = (word: string): boolean => /^[a-z]+(\.[a-z_]+)?$/.test(word)
