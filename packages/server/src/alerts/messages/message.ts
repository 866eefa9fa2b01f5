/** Writes messages about changes of alerts: as the body of a webhook, and as text for chats and mails. Pure. */
import type { AlertLevel, AlertSubject, MessageType, RuleName } from '@svc/api'
import { agentNamesText, subjectText } from '@svc/api/words'
import { isOwnMachineOnly, ownMachineWords, safeLine } from '@svc/protocol'
import type { MessageText } from '../../deliveries/channels/call.ts'
import type { EndCause } from '../rules/conditions.ts'
import { alertSummary, clockTimeText, type MassAgents, ruleHeading } from './words.ts'

/** A change of one alert. Times are Unix milliseconds. */
export interface AlertChange {
  type: MessageType
  at: number
  id: string
  workspace: string
  rule: RuleName
  level: AlertLevel
  subject: AlertSubject
  since: number
  endedAt: number | null
  /** The reason why the alert ended, if its condition may not be gone; otherwise absent. */
  because?: EndCause
  label: string | null
  /**
   * The agent's own words about its level. Null if the workspace does not allow them in messages, or if there are none
   * for this change.
   */
  detail: string | null
  agents: MassAgents | null
  acknowledgedBy: string | null
  note: string | null
  url: string
}

/** The body of a webhook that carries one change. Existing fields are never renamed, but new ones may be added. */
interface SingleBody {
  type: MessageType
  timestamp: string
  data: {
    id: string
    workspace: string
    rule: RuleName
    level: AlertLevel
    subject: AlertSubject
    since: string
    summary: string
    url: string
    urlNote?: string
    ended?: string
    because?: EndCause
    label?: string
    detail?: string
    agents?: readonly string[]
    acknowledgedBy?: string
    note?: string
  }
}

interface GroupedBody {
  type: 'alerts'
  timestamp: string
  data: { workspace: string; alerts: SingleBody[] }
}

/** Writes the body of a webhook that carries one change. */
export const singleBody = (change: AlertChange): SingleBody => {
  const { type, at, id, workspace, rule, level, subject, since, endedAt, label, detail, agents, url } = change
  return {
    type,
    timestamp: isoTime(at),
    data: {
      id,
      workspace,
      rule,
      level,
      subject: { kind: subject.kind, name: subject.name, ...(subject.item !== undefined && { item: subject.item }) },
      since: isoTime(since),
      summary: alertSummary(type, change, at),
      ...linkOf(url),
      ...(endedAt !== null && { ended: isoTime(endedAt) }),
      ...(change.because !== undefined && { because: change.because }),
      ...(label !== null && { label }),
      ...(detail !== null && { detail }),
      ...(agents !== null && { agents: agents.names }),
      ...(change.acknowledgedBy !== null && { acknowledgedBy: change.acknowledgedBy }),
      ...(change.note !== null && { note: change.note }),
    },
  }
}

/** The fields about a link in a body. `urlNote` is present if only the service's own machine reaches the address. */
export const linkOf = (url: string): { url: string; urlNote?: string } => ({
  url,
  ...(isOwnMachineOnly(url) && { urlNote: ownMachineWords }),
})

/** Writes the body of a webhook that carries several changes. */
export const groupedBody = (workspace: string, changes: readonly AlertChange[], at: number): GroupedBody => ({
  type: 'alerts',
  timestamp: isoTime(at),
  data: { workspace, alerts: changes.map(singleBody) },
})

/** The time in ISO 8601, in whole seconds. */
export const isoTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

/**
 * Drops changes that are no longer worth sending: the earlier changes of an alert that has ended or become unsteady. An
 * alert that opened and ended before anything was sent therefore has only one entry in a message.
 */
export function foldChanges(changes: readonly AlertChange[]): AlertChange[] {
  const last = new Map<string, number>()
  for (const [i, { id, type }] of changes.entries()) if (supersedes(type)) last.set(id, i)
  return changes.filter(({ id }, i) => i >= (last.get(id) ?? 0))
}

/**
 * Cleans the words of agents and people in a change (I31): a message goes to programs that would obey characters that
 * control a terminal or the direction of text.
 */
export function cleanChange(change: AlertChange): AlertChange {
  const { label, detail, note, acknowledgedBy, subject, agents } = change
  const line = (text: string | null) => text && safeLine(text)
  return {
    ...change,
    label: line(label),
    detail: line(detail),
    note: line(note),
    acknowledgedBy: line(acknowledgedBy),
    subject: {
      ...subject,
      name: safeLine(subject.name),
      ...(subject.item !== undefined && { item: safeLine(subject.item) }),
    },
    agents: agents && { ...agents, names: agents.names.map(safeLine) },
  }
}

const supersedes = (type: MessageType): boolean => type === 'alert.ended' || type === 'alert.unsteady'

/** The text about one change or several. `list` is the address of the page that lists all alerts of the workspace. */
export function messageTextOf(workspace: string, changes: readonly AlertChange[], list: string): MessageText {
  const [only, ...more] = changes
  const level = worstOf(changes)
  if (only && more.length === 0)
    return { title: alertSummary(only.type, only, only.at), lines: linesOf(only), url: only.url, level }
  const lines = changes.length <= maxWrittenOut ? changes.map(lineOf) : groupsOf(changes)
  return { title: `${workspace}: ${countsOf(changes)}`, lines, url: list, level }
}

/** The maximum number of changes that get a line each. More changes are grouped by rule and type. */
const maxWrittenOut = 5

const linesOf = (change: AlertChange): string[] => [
  `Workspace ${change.workspace}. ${levelOf(change)}`,
  ...factsOf(change),
]

/** One of several changes as a line. */
const lineOf = (change: AlertChange): string =>
  [withStop(alertSummary(change.type, change, change.at)), levelOf(change), ...factsOf(change)].join(' ')

/** Adds a full stop, unless the text already ends with a punctuation mark. */
const withStop = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

const levelOf = ({ level, since, at }: AlertChange): string =>
  `Level ${levelWords[level]}, since ${clockTimeText(since, at)}.`

const factsOf = ({ detail, agents, note }: AlertChange): string[] => [
  ...(agents ? [agentNamesText(agents.names), likelierCause] : []),
  ...(detail ? [detail] : []),
  ...(note ? [`Note: ${note}`] : []),
]

const likelierCause = 'The network or this service is the likelier cause.'
const levelWords = { bad: 'Bad', warn: 'Warning' } as const satisfies Record<AlertLevel, string>

const done = {
  'alert.opened': 'opened',
  'alert.acknowledged': 'acknowledged',
  'alert.ended': 'ended',
  'alert.unsteady': 'unsteady',
  'alert.reminder': 'still open',
} as const satisfies Record<MessageType, string>
const types = Object.keys(done) as MessageType[]

const countsOf = (changes: readonly AlertChange[]): string =>
  types
    .map((type) => [changes.filter((change) => change.type === type).length, done[type]] as const)
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ')

/** The lines of a text about several changes: one line for each rule and type of change, with up to ten names. */
function groupsOf(changes: readonly AlertChange[]): string[] {
  const groups = Map.groupBy(changes, ({ type, rule }) => `${types.indexOf(type)} ${rule}`)
  return [...groups.entries()]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([, [first, ...more]]) => {
      if (!first) return []
      const names = [first, ...more].flatMap(({ agents, subject }) => agents?.names ?? [subjectText(subject)])
      return [`${ruleHeading(first.rule)}, ${done[first.type]}: ${agentNamesText([...new Set(names)])}`]
    })
}

function worstOf(changes: readonly AlertChange[]): AlertLevel | null {
  const open = changes.filter(({ type }) => type !== 'alert.ended').map(({ level }) => level)
  return open.includes('bad') ? 'bad' : open.includes('warn') ? 'warn' : null
}
