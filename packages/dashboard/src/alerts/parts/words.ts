/** Puts alerts, rules and mutes into the words of the page. */
import type { AlertLine, AlertSubject, RuleName, RuleRow, RuleSettings } from '@svc/api'
import { limits } from '@svc/protocol'

/** The heading of the alerts of each rule. */
export const headings: Readonly<Record<RuleName, string>> = {
  silent: 'Offline',
  bad: 'Level Bad',
  item: 'Bad health item',
  warning: 'Level Warning',
  process: 'Process not running',
  status_stale: 'Status file too old',
  binding: 'Broken binding',
  disk: 'Disk nearly full',
  update: 'Update failed',
  rollout: 'Rollout halted',
  command: 'Command not carried out',
  run_failed: 'Failed runs',
  run_long: 'Long run',
  cost_day: 'Cost limit',
  cost_jump: 'Unusual cost',
  gauge: 'Gauge at its mark',
  two_reporters: 'Two machines',
  service: 'Channel not working',
}

/** The condition of each alert rule in words that follow "when". */
const conditions: Readonly<Record<RuleName, (rule: RuleRow) => string>> = {
  silent: () => 'any agent is offline',
  bad: () => 'the level of any agent is Bad',
  item: () => 'a health item of any agent is Bad',
  warning: () => 'the level of any agent is Warning',
  process: () => 'the process of any agent does not run',
  status_stale: () =>
    `the status file of any agent is older than ${lengthOf(limits.statusLateSeconds)} and ${limits.statusLateGaps} times its usual interval, or than ${lengthOf(limits.statusOnceSeconds)} if it was written only once`,
  binding: () => 'a binding of any agent is broken',
  disk: () => 'the disk of any agent is full or nearly full',
  update: () => 'an update of any agent fails',
  rollout: () => 'a rollout halts',
  command: () => 'a command is refused, fails or expires',
  run_failed: ({ statuses }) => `the last three runs of any agent ended with ${either(statuses ?? [])}`,
  run_long: () => 'a run of any agent is active',
  cost_day: ({ limit }) =>
    limit === null
      ? 'an agent or the workspace costs more in a day than a limit that you set'
      : `an agent or the workspace costs more than $${limit} in a day`,
  cost_jump: () => 'an agent costs more than three times as much today as on a usual day',
  gauge: () => 'a gauge of any agent is at its mark',
  two_reporters: () => 'two machines report with the token of one agent',
  service: () => 'a channel of this workspace keeps failing',
}

const either = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? 'none') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/**
 * The condition of a rule, as a sentence on the page has it after the names of the channels: `when any agent is offline
 * for 10 minutes`.
 */
export const conditionOf = (rule: RuleRow): string =>
  `when ${conditions[rule.rule](rule)}${rule.after > 0 ? ` for ${lengthOf(rule.after)}` : ''}`

/**
 * The channels of a rule, as a sentence on the page names them: `#ops and #mail`, `all channels` or `nobody`. A rule
 * that names no channels notifies all except those to which it escalates.
 */
export function audienceOf({ channels, escalation }: Pick<RuleSettings, 'channels' | 'escalation'>): string {
  if (channels !== null) return named(channels)
  const later = escalation?.channels ?? []
  return later.length === 0 ? 'all channels' : `all channels except ${named(later)}`
}

function named(channels: readonly string[]): string {
  if (channels.length === 0) return 'nobody'
  const names = channels.map((name) => `#${name}`)
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** The sentences that say what a rule does while an alert stays open: whether it sends reminders, and how it escalates. */
export function followUpsOf({ level, reminds, escalation }: RuleSettings): string[] {
  const sentences = []
  if (level === 'bad') sentences.push(reminds ? 'Repeated after 1 hour, then daily.' : 'Not repeated.')
  if (escalation)
    sentences.push(
      `If nobody acknowledges it within ${lengthOf(escalation.after)}, also tell ${named(escalation.channels)}.`,
    )
  return sentences
}

/** The units in which durations are shown, each with its length in seconds. */
export const units = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const
export type Unit = keyof typeof units

/** Converts seconds to the largest unit that divides them: 600 are 10 minutes, 90 are 90 seconds. */
export function inUnit(seconds: number): { number: number; unit: Unit } {
  const unit = (Object.keys(units) as Unit[]).find((one) => seconds >= units[one] && seconds % units[one] === 0)
  return unit ? { number: seconds / units[unit], unit } : { number: seconds, unit: 'seconds' }
}

/** A duration in words, in the largest unit that divides it: `10 minutes`, `90 seconds`, `1 day`. */
export function lengthOf(seconds: number): string {
  const { number, unit } = inUnit(seconds)
  return `${number} ${number === 1 ? unit.slice(0, -1) : unit}`
}

/**
 * A health item of an agent as the subject of a sentence. A star stands for all bad items without an alert of their
 * own.
 */
export const itemText = (item: string): string => (item === '*' ? 'Further health items' : item)

/** The name of the subject of an alert, with the health item that it is about: `Job backup on vela-ada`. */
export const subjectText = ({ name, item }: Pick<AlertSubject, 'name' | 'item'>): string =>
  item === undefined ? name : `${itemText(item)} on ${name}`

type Stated = Pick<AlertLine, 'rule' | 'label' | 'agents' | 'subject'>

/**
 * The problem of an alert in words, after the name of its subject: `Level Bad: Build fails`, or `Job backup: failed`
 * for a health item.
 */
export function statementOf({ rule, label, agents, subject: { item } }: Stated): string {
  if (rule === 'silent' && agents) return massText(agents)
  const what = item === undefined ? headings[rule] : itemText(item)
  return label ? `${what}: ${label}` : what
}

/** The agents of a mass silence: how many went offline at once, and how many of them still are if some are back. */
function massText({ names, of, offline }: NonNullable<AlertLine['agents']>): string {
  const went = `${names.length} of ${of} agents went offline`
  if (offline === null || offline === names.length) return went
  return `${went}, ${offline} of them still ${offline === 1 ? 'is' : 'are'}`
}

const namesMax = 10

/** Joins the names of agents: up to ten of them, then how many more there are. */
export function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).join(', ')
  return names.length > namesMax ? `${shown} and ${names.length - namesMax} more` : shown
}

/**
 * Sorts alerts, most urgent first: those that nobody has acknowledged before the acknowledged ones, then level Bad
 * before other levels, then alerts that opened later before earlier ones. Alerts that opened together are sorted by name.
 */
export const byUrgency = (a: AlertLine, b: AlertLine): number =>
  Number(a.acknowledged !== null) - Number(b.acknowledged !== null) ||
  Number(b.level === 'bad') - Number(a.level === 'bad') ||
  (b.openedAt ?? 0) - (a.openedAt ?? 0) ||
  byName.compare(a.subject.name, b.subject.name)
const byName = new Intl.Collator('en', { numeric: true })

/** Tomorrow at 08:00 in the time zone of the browser, in Unix milliseconds. */
export function tomorrowMorning(now: number): number {
  const day = new Date(now)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, 8).getTime()
}

/** The agent, the rule and the health item that a mute covers. Null means every agent, rule or item. */
export interface Covered {
  agent: string | null
  rule: RuleName | null
  item?: string | null
}

/** The part of a workspace that a mute of an alert covers: its agent or health item, or else its rule. */
export function coveredIn({ agent, rule, subject }: AlertLine): Covered {
  const item = subject.item ?? null
  return { agent, rule: agent === null || item !== null ? rule : null, item }
}

/** The part of a workspace that a mute covers, in words: `mail-triage`, `Job backup on mail-triage`, `the rule “Offline”`, `the workspace`. */
export function coveredBy({ agent, rule, item = null }: Covered): string {
  if (agent !== null && item !== null) return subjectText({ name: agent, item })
  const named = rule === null ? '' : `the rule “${headings[rule]}”`
  if (agent === null) return named || 'the workspace'
  return named ? `${agent}, ${named}` : agent
}
