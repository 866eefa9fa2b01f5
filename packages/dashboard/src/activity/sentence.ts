/**
 * Turns entries of the activity into sentences. An entry with an unknown action is shown with its details as they are.
 */
import type { AuditEntry, RuleName } from '@svc/api'
import { alertRules } from '@svc/api/words'
import { dateAndTime, serviceNow } from '../ui/index.ts'

/**
 * A part of a sentence: words of the page, a text that was entered elsewhere (`said`), the name of a log, or words
 * that lead to the page of an agent, action, rollout or version of a blueprint.
 */
export type SentencePart =
  | string
  | { said: string }
  | { log: string }
  | { agent: string }
  | { action: string; words: string }
  | { rollout: string; words: string }
  | { blueprint: string; version: string; words: string }

type ActivityFacts = Readonly<Record<string, unknown>>
type SentenceMaker = (what: SentencePart, facts: ActivityFacts) => SentencePart[]

const textPart = (v: unknown): SentencePart => ({
  said: typeof v === 'string' ? v : v === undefined ? '?' : JSON.stringify(v),
})
const logPart = (v: unknown): SentencePart => (typeof v === 'string' ? { log: v } : textPart(v))
/** A version of a blueprint, which leads to its page. */
const versionPart = (blueprint: string, version: string): SentencePart => ({
  blueprint,
  version,
  words: `${blueprint} ${version}`,
})
const role = (v: unknown): string => (v === 'admin' ? 'an admin' : 'a member')

/** The name of an alert rule as the page shows it. A rule of another version of the service is shown by its id. */
const ruleOf = (rule: unknown): SentencePart =>
  typeof rule === 'string' && Object.hasOwn(alertRules, rule) ? alertRules[rule as RuleName].heading : textPart(rule)

const mutedPart = ({ rule, item }: ActivityFacts): SentencePart[] => {
  if (item !== undefined) return [' for the health item ', textPart(item)]
  return rule === undefined ? [] : [' for the alert rule ', ruleOf(rule)]
}

/**
 * Shortens the reason why a rollout halted to the agent and its failure. The page of the rollout has the whole reason.
 */
function shortWhy(why: unknown): unknown {
  const halt = typeof why === 'string' ? /^On (.+? (?:was rolled back|failed|made it worse)): /s.exec(why) : null
  return halt ? `on ${halt[1]}` : why
}

const limit = (name: string, value: unknown): SentencePart[] =>
  value === undefined ? [] : [`, ${name}: `, textPart(value ?? 'the default')]

const sentences: Readonly<Record<string, SentenceMaker>> = {
  'workspace.created': (what) => ['created the workspace ', what],
  'workspace.factor_required': (_, { from }) => [
    'made the workspace require a second factor of its admins',
    ...(typeof from === 'number' ? [` from ${dateAndTime(from, serviceNow())} on`] : []),
  ],
  'workspace.factor_not_required': () => ['ended the requirement of a second factor for admins'],
  'workspace.renamed': (_, { from, to }) => ['renamed the workspace from ', textPart(from), ' to ', textPart(to)],
  'workspace.activated': (what, { product }) => ['activated ', what, ' for ', textPart(product)],
  'workspace.deactivated': (what, { product }) => ['deactivated ', what, ' for ', textPart(product)],
  'workspace.limits_changed': (what, { agents, people, bundles }) => [
    'changed the limits of ',
    what,
    ...limit('agents', agents),
    ...limit('people', people),
    ...limit('bytes of bundles', bundles),
  ],
  'activity.folded': (_, { lines }) => ['did ', textPart(lines), ' more things earlier, shown as one line'],
  'agent.created': (what, { tags }) => ['added ', what, ...(tags ? [' with ', ...wordsOf(tagsOf(tags))] : [])],
  'agent.tagged': (what, { agents, add, remove }) => taggedParts(agentsOr(what, agents), tagsOf(add), tagsOf(remove)),
  'agent.renamed': (what, { from }) => ['renamed ', textPart(from), ' to ', what],
  'agent.token_rotated': (what) => ['rotated the token of ', what],
  'agent.deleted': (what, { cancelled }) => [
    'deleted ',
    what,
    ...(Array.isArray(cancelled) && cancelled.length > 0
      ? [`, which cancelled ${cancelled.length} pending ${cancelled.length === 1 ? 'command' : 'commands'}`]
      : []),
  ],
  'agent.installed': (what, { blueprint, version }) => [
    'installed ',
    what,
    ' from ',
    ...versionOf({ blueprint, version }),
  ],
  'blueprint.uploaded': (what) => ['uploaded the blueprint ', what],
  'blueprint.deleted': (what) => ['deleted the blueprint ', what],
  'code.issued': (what, { agent }) => ['issued an install code for ', what, ', for an agent named ', textPart(agent)],
  'code.revoked': (what, { agent }) => [
    'revoked the install code for ',
    what,
    ', for an agent named ',
    textPart(agent),
  ],
  'bot.revoked': (what, { product, agents }) => [
    'revoked the bot ',
    what,
    ' in ',
    textPart(product),
    ...(Array.isArray(agents) ? [', for ', textPart(agents.join(', '))] : []),
  ],
  'bot.deleted': (what, { product }) => ['deleted the bot ', what, ' in ', textPart(product)],
  'command.sent': (what, { type, payload }) => commandParts(what, type, payload),
  'action.sent': (what, { action, type, agents }) => actionParts(manyOf(what, agents, action), type),
  'action.cancelled': (what, { action, type, agents }) => [
    'cancelled ',
    textPart(actionWords[String(type)] ?? type),
    ' for ',
    manyOf(what, agents, action),
  ],
  'view.saved': (what, { q }) => [
    'saved the view ',
    what,
    q === '' ? ', with all agents' : ': ',
    ...(q === '' ? [] : [textPart(q)]),
  ],
  'view.renamed': (what, { from }) => ['renamed the view ', textPart(from), ' to ', what],
  'view.removed': (what) => ['removed the view ', what],
  'wish.made': (what, facts) => ['asked ', what, ' to run ', ...versionOf(facts)],
  'wish.hurried': (what, facts) => ['let ', what, ' update to ', ...versionOf(facts), ' without the end of its watch'],
  'wish.withdrawn': (what, facts) => ['cancelled the request for ', ...versionOf(facts), ' from ', what],
  'hold.lifted': (what, facts) => ['lifted the hold of ', what, ' on ', ...versionOf(facts)],
  'rollout.started': (what, { agents, waves }) => [
    'started the rollout of ',
    what,
    ` to ${agents} ${agents === 1 ? 'agent' : 'agents'}`,
    ...(Array.isArray(waves) ? [` in ${waves.length} ${waves.length === 1 ? 'wave' : 'waves'}`] : []),
  ],
  'rollout.hurried': (what, { agents }) => [
    'let ',
    textPart(`${agents}`),
    ' of the agents in the rollout of ',
    what,
    ' update without the end of a watch',
  ],
  'rollout.paused': (what) => ['paused the rollout of ', what],
  'rollout.continued': (what) => ['continued the rollout of ', what],
  'rollout.cancelled': (what) => ['cancelled the rollout of ', what],
  'rollout.halted': (what, { why }) => [
    'halted the rollout of ',
    what,
    ...(why ? [': ', textPart(shortWhy(why))] : []),
  ],
  'rollout.done': (what) => ['finished the rollout of ', what],
  'alert.acknowledged': (what, { rule, item }) =>
    item === undefined
      ? ['acknowledged the alert ', ruleOf(rule), ' of ', what]
      : ['acknowledged the alert about ', textPart(item), ' of ', what],
  'alert.muted': (what, facts) => ['muted ', what, ...mutedPart(facts)],
  'alert.unmuted': (what, facts) => ['lifted the mute of ', what, ...mutedPart(facts)],
  'alert.settings_changed': (_, { detail }) => [
    detail ? 'allowed' : 'forbade',
    ' the details of agents in messages about alerts',
  ],
  'agent.hours_changed': (what, { hours }) => [
    'set when reports of ',
    what,
    ' are expected: ',
    textPart(hours ?? 'always'),
  ],
  'rule.changed': (what) => [
    'changed the alert rule ',
    typeof what === 'object' && 'said' in what ? ruleOf(what.said) : what,
  ],
  'channel.added': (what, { kind }) => ['added the ', textPart(kind), ' channel ', what],
  'channel.enabled': (what) => ['enabled the channel ', what],
  'channel.disabled': (what) => ['disabled the channel ', what],
  'channel.removed': (what) => ['removed the channel ', what],
  'delivery.retried': (what) => ['sent a delivery to the channel ', what, ' again'],
  'log.read': (what, { name }) => ['read the log ', logPart(name), ' of ', what],
  'log.downloaded': (what, { name }) => ['downloaded the log ', logPart(name), ' of ', what],
  'member.invited': (what, facts) => ['invited ', what, ` as ${role(facts.role)}`],
  'member.invitation_shown': (what) => ['looked at the link of the invitation of ', what],
  'member.invitation_withdrawn': (what) => ['revoked the invitation of ', what],
  'member.added': (what, facts) => ['added ', what, ` as ${role(facts.role)}`],
  'member.joined': (what, facts) => ['joined as ', what, ` (${role(facts.role)})`],
  'member.role_changed': (what, { to }) => ['made ', what, ` ${role(to)}`],
  'member.removed': (what) => ['removed ', what, ' from the workspace'],
  'member.left': () => ['left the workspace'],
}

/** The values of `action` for which there is a sentence. */
export const knownActions: readonly string[] = Object.keys(sentences)

const actionWords: Readonly<Record<string, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  run_now: 'Run now',
  set: 'new settings',
  log: 'the request for a log',
  lift: 'the lifting of holds',
  delete: 'the deletion',
}

/** The agents of an action: the name of a single agent, or their number with a link to the page of the action. */
const manyOf = (what: SentencePart, agents: unknown, action: unknown): SentencePart =>
  typeof agents === 'number' && agents > 1
    ? { action: String(action), words: `${agents.toLocaleString('en-US')} agents` }
    : what

/** The number of agents, or the name of a single one. */
const agentsOr = (what: SentencePart, agents: unknown): SentencePart =>
  typeof agents === 'number' && agents > 1 ? `${agents.toLocaleString('en-US')} agents` : what

const tagsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
const wordsOf = (tags: readonly string[]): SentencePart[] => [
  tags.length === 1 ? 'the tag ' : 'the tags ',
  { said: tags.join(', ') },
]

function taggedParts(what: SentencePart, add: readonly string[], remove: readonly string[]): SentencePart[] {
  if (remove.length === 0) return ['gave ', what, ' ', ...wordsOf(add)]
  if (add.length === 0) return ['took ', ...wordsOf(remove), ' from ', what]
  return ['gave ', what, ' ', ...wordsOf(add), ', and took ', ...wordsOf(remove)]
}

function actionParts(what: SentencePart, type: unknown): SentencePart[] {
  switch (type) {
    case 'set':
      return ['asked ', what, ' to change settings']
    case 'log':
      return ['asked ', what, ' for a log']
    case 'lift':
      return ['lifted the holds of ', what]
    case 'delete':
      return ['deleted those of ', what, ' that never reported']
    default:
      return commandParts(what, type, {})
  }
}

const versionOf = ({ of, version, blueprint }: ActivityFacts): SentencePart[] => {
  if (of !== 'runtime' && typeof blueprint === 'string' && typeof version === 'string')
    return [versionPart(blueprint, version)]
  return [
    ...(of === 'runtime' ? ['runtime '] : blueprint ? [textPart(blueprint), ' '] : []),
    version === undefined || version === null ? 'the requested version' : textPart(version),
  ]
}

function commandParts(what: SentencePart, type: unknown, payload: unknown): SentencePart[] {
  const facts = (typeof payload === 'object' && payload !== null ? payload : {}) as ActivityFacts
  switch (type) {
    case 'pause':
      return ['asked ', what, ' to pause']
    case 'resume':
      return ['asked ', what, ' to resume']
    case 'run_now':
      return ['asked ', what, ' to run now']
    case 'log':
      return ['asked ', what, ' for its log ', logPart(facts.name)]
    case 'set':
      return [
        'asked ',
        what,
        ' to set ',
        ...Object.entries(facts).flatMap(([key, value], i): SentencePart[] => [
          ...(i > 0 ? [', '] : []),
          textPart(key),
          ...(value === null ? [' to not set'] : [' to ', textPart(value)]),
        ]),
      ]
    default:
      return ['sent ', textPart(type), ' to ', what]
  }
}

/** The sentence about an entry, without the person's name before it: `asked mail-triage to pause`. */
export function entrySentence({
  action,
  subject,
  details,
}: Pick<AuditEntry, 'action' | 'subject' | 'details'>): SentencePart[] {
  const [kind, name] = split(subject)
  if (Array.isArray(details.agents) && name === 'agents') return tellOf(action, { said: subject }, subject, details)
  return tellOf(action, subjectPart({ action, kind, name, subject, details }), subject, details)
}

interface ActivitySubjectFacts extends Pick<AuditEntry, 'action' | 'subject' | 'details'> {
  /** The first word of the subject, and the rest. */
  kind: string
  name: string
}

/** The subject of a line. An agent, a rollout or a version leads to its page, unless the line is about its deletion. */
function subjectPart({ action, kind, name, subject, details }: ActivitySubjectFacts): SentencePart {
  const words = nameOf(kind, name, subject)
  if (action.endsWith('.deleted')) return { said: words }
  if (kind === 'agent') return { agent: name }
  if (action.startsWith('rollout.') && typeof details.rollout === 'string') return { rollout: details.rollout, words }
  const [blueprint = '', version] = name.split('@')
  return kind === 'blueprint' && version !== undefined ? versionPart(blueprint, version) : { said: words }
}

/** The name of a subject as pages show it: that of a version of a blueprint is `mail 1.0.0`. */
const nameOf = (kind: string, name: string, subject: string): string =>
  kind === 'runtime' ? subject : kind === 'blueprint' ? name.replace('@', ' ') : name

function tellOf(
  action: string,
  what: SentencePart,
  subject: string,
  { times, ...details }: ActivityFacts,
): SentencePart[] {
  const tell = Object.hasOwn(sentences, action) ? sentences[action] : undefined
  const sentence = tell ? tell(what, details) : unknownActionParts(action, subject, details)
  return typeof times === 'number' ? [...sentence, `, ${times} times within a minute`] : sentence
}

function split(subject: string): [kind: string, name: string] {
  const at = subject.indexOf(' ')
  return at < 0 ? ['', subject] : [subject.slice(0, at), subject.slice(at + 1)]
}

function unknownActionParts(action: string, subject: string, details: ActivityFacts): SentencePart[] {
  const facts = Object.keys(details).length > 0 ? [' ', textPart(details)] : []
  return [textPart(action.replaceAll(/[._]/g, ' ')), ': ', textPart(subject), ...facts]
}

/** The heading for the entries of one day, such as `Saturday, 21 November 2026`, in the reader's time zone. */
export const dayHeading = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(at)
