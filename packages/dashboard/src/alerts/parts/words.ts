/** Puts alerts, rules and mutes into the words of the page. */
import type { AlertLine, RuleName, RuleRow, RuleSettings } from '@svc/api'
import { alertRules, durationText, itemText, subjectText } from '@svc/api/words'

/** The condition of a rule, as the beginning of a sentence on the page: `When any agent is offline for 10 minutes`. */
export const conditionOf = (rule: RuleRow): string =>
  unbroken(`When ${alertRules[rule.rule].when(rule)}${rule.after > 0 ? ` for ${durationText(rule.after)}` : ''}`)

/** Replaces the spaces in the durations of a sentence with no-break spaces. */
const unbroken = (words: string): string => words.replace(/(?<=\d) (?=second|minute|hour|day)/g, '\u00a0')

/**
 * The channels that a rule notifies at first, in words: `#ops and #mail`, `all channels except #boss` or `nobody`; null
 * for all channels. A rule whose `channels` are null notifies all channels except those to which it escalates.
 */
export function audienceOf({ channels, escalation }: Pick<RuleSettings, 'channels' | 'escalation'>): string | null {
  if (channels !== null) return channelNames(channels)
  const later = escalation?.channels ?? []
  return later.length === 0 ? null : `all channels except ${channelNames(later)}`
}

/**
 * The enabled rules that notify a channel of the workspace, in words: `all 14 rules that are on`, up to three headings
 * (`Offline and Level Bad`), or `5 of 14 rules that are on`. Null if there are none.
 */
export function rulesOf(channel: string, rules: readonly RuleSettings[]): string | null {
  const on = rules.filter((rule) => rule.on)
  const sending = on.filter(
    ({ channels, escalation }) =>
      (channels ?? [channel]).includes(channel) || escalation?.channels.includes(channel) === true,
  )
  if (sending.length === 0) return null
  if (sending.length === on.length)
    return on.length === 1 ? 'the one rule that is on' : `all ${on.length} rules that are on`
  if (sending.length > 3) return `${sending.length} of ${on.length} rules that are on`
  return listInWords(sending.map(({ rule }) => alertRules[rule].heading))
}

/** A list of words as part of a sentence: `a, b and c`. */
export const listInWords = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

function channelNames(channels: readonly string[]): string {
  return channels.length === 0 ? 'nobody' : listInWords(channels.map((name) => `#${name}`))
}

/** Up to two sentences: that a rule of the level Bad sends no reminders, and how the rule escalates. */
export function followUpsOf({ level, reminds, escalation }: RuleSettings): string[] {
  const sentences = []
  if (level === 'bad' && !reminds) sentences.push('Not repeated.')
  if (escalation)
    sentences.push(
      `If nobody acknowledges it within ${unbroken(durationText(escalation.after))}, also tell ${channelNames(escalation.channels)}.`,
    )
  return sentences
}

type StatedAlert = Pick<AlertLine, 'rule' | 'label' | 'agents' | 'subject'>

/** The problem that an alert is about, in words: `Build fails`, or `Job backup: failed` for a health item. */
export function statementOf({ rule, label, agents, subject: { item } }: StatedAlert): string {
  if (rule === 'silent' && agents) return massText(agents)
  if ((rule === 'bad' || rule === 'warning') && label) return label
  const what = item === undefined ? alertRules[rule].heading : itemText(item)
  return label ? `${what}: ${label}` : what
}

/** Says how many agents of a mass outage went offline and, if some are back, how many are still offline. */
function massText({ names, of, offline }: NonNullable<AlertLine['agents']>): string {
  const went = `${names.length} of ${of} agents went offline`
  if (offline === null || offline === names.length) return went
  return `${went}, ${offline} of them still ${offline === 1 ? 'is' : 'are'}`
}

/**
 * Sorts alerts, most urgent first: those that nobody has acknowledged before the acknowledged ones, then level Bad
 * before other levels, then alerts that opened later before earlier ones. Alerts that opened together are sorted by
 * name.
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
export interface MuteCover {
  agent: string | null
  rule: RuleName | null
  item?: string | null
}

/** Returns what a mute of an alert covers: the alert's health item, its agent or, without an agent, its rule. */
export function muteCoverOf({ agent, rule, subject }: AlertLine): MuteCover {
  const item = subject.item ?? null
  return { agent, rule: agent === null || item !== null ? rule : null, item }
}

/** Says what a mute covers: `mail-triage`, `Job backup on mail-triage`, `the rule “Offline”`, `the workspace`. */
export function muteCoverText({ agent, rule, item = null }: MuteCover): string {
  if (agent !== null && item !== null) return subjectText({ name: agent, item })
  const named = rule === null ? '' : `the rule “${alertRules[rule].heading}”`
  if (agent === null) return named || 'the workspace'
  return named ? `${agent}, ${named}` : agent
}
