/**
 * The sentences of messages: what they say when an alert opens, stays open, is acknowledged, ends or is unsteady. Times
 * are in UTC.
 */

import { type AlertSubject, type MessageType, otherItems, type RuleName } from '@svc/api'
import { alertRules, elapsedText, subjectText } from '@svc/api/words'
import { safeNameOr } from '../../people/accounts/named.ts'
import type { EndCause } from '../rules/conditions.ts'
import type { RuleWords } from '../rules/rule.ts'
import { ruleRecords } from '../rules/rules.ts'

/** The agents of a mass outage. */
export interface MassAgents {
  names: readonly string[]
  /** The number of all agents that had ever reported. */
  of: number
  /**
   * The number of named agents that are still offline; null if they were not counted, absent in the first message and
   * in the message about the end.
   */
  offline?: number | null
}

interface SummarizedAlert {
  rule: RuleName
  subject: AlertSubject
  since: number
  endedAt: number | null
  because?: EndCause
  /** A few words about the problem, such as the label of a level or the name of a gauge. */
  label: string | null
  /** The agents of a mass outage; null for other alerts. */
  agents: MassAgents | null
  acknowledgedBy: string | null
}

const pluralWords = ({ begins, is, was, keeps }: RuleWords): RuleWords => ({
  begins: begins.replace(/^is /, 'are ').replace(/^has /, 'have '),
  is: is.replace(/^has /, 'have '),
  was: was.replace(/^was /, 'were '),
  keeps,
})

const wordsOf = (rule: RuleName): RuleWords => ruleRecords[rule].words
const isLasting = (rule: RuleName): boolean => wordsOf(rule).is !== wordsOf(rule).was

/** The heading above several alerts of a rule. */
export const ruleHeading = (rule: RuleName): string => ruleRecords[rule].heading ?? alertRules[rule].heading

/** The message as one sentence without a full stop, such as "mail-triage has been offline for 10 minutes". */
export function alertSummary(type: MessageType, alert: SummarizedAlert, now: number): string {
  const { rule, since, endedAt, acknowledgedBy } = alert
  const who = whoOf(alert)
  const isPlural = alert.agents !== null || alert.subject.item === otherItems
  const { begins, is, was, keeps } = isPlural ? pluralWords(wordsOf(rule)) : wordsOf(rule)
  const mass = massNow(alert, now)
  const stillIs = `${who} ${is}${isLasting(rule) ? ` since ${clockTimeText(since, now)}` : ''}`
  switch (type) {
    case 'alert.opened':
      if (mass !== undefined) return mass
      if (!isLasting(rule) || now - since < 1000) return sentence(`${who} ${begins}`, alert)
      return sentence(`${who} ${is} for ${elapsedText(now - since)}`, alert)
    case 'alert.reminder':
      return sentence(`Still open: ${mass ?? stillIs}`, alert)
    case 'alert.acknowledged':
      return `${safeNameOr(acknowledgedBy ?? 'Somebody', 'Somebody')} acknowledged: ${mass ?? stillIs}`
    case 'alert.unsteady':
      return sentence(`${who} ${isPlural ? 'keep' : 'keeps'} ${keeps}`, alert)
    case 'alert.ended':
      return endedSentence(who, was, alert, endedAt ?? now)
  }
}

/**
 * The sentence about a mass outage, with the number of agents that are still offline if it was counted; undefined if
 * all of them are, or if `offline` is absent.
 */
function massNow({ rule, agents, since }: SummarizedAlert, now: number): string | undefined {
  if (rule !== 'silent' || agents?.offline === undefined || agents.offline === agents.names.length) return undefined
  const { names, of, offline } = agents
  const went = `${names.length} of ${of} agents went offline at ${clockTimeText(since, now)}`
  return offline === null ? went : `${went}, and ${offline} of them still ${offline === 1 ? 'is' : 'are'}`
}

const sentence = (text: string, { label }: SummarizedAlert): string => (label ? `${text}: ${label}` : text)

const causes: Readonly<Record<EndCause, string>> = {
  stopped: 'the agent was stopped',
  paused: 'the agent was paused',
  unreported: 'the item is no longer reported',
}

/** The sentence about the end of an alert. `because` is why it ended although the problem may last. */
function endedSentence(who: string, was: string, { rule, since, because }: SummarizedAlert, end: number): string {
  const at = ` at ${clockTimeText(end, end)}`
  const why = because === undefined ? '' : ` because ${causes[because]}`
  if (!isLasting(rule)) return `${because === undefined ? 'Ended' : 'Closed'}${at}${why}: ${who} ${was}`
  const lasted = `${who} ${was} from ${clockTimeText(since, end)} to ${clockTimeText(end, end)}, for ${elapsedText(end - since)}`
  return because === undefined ? lasted : `Closed${why}: ${lasted}`
}

function whoOf({ rule, subject, agents }: SummarizedAlert): string {
  if (rule === 'silent' && agents) return `${agents.names.length} of ${agents.of} agents`
  if (subject.kind === 'workspace') return `The workspace ${subject.name}`
  if (subject.kind === 'rollout') return `The rollout of ${subject.name}`
  return subjectText(subject)
}

/** The time of day as "14:02 UTC", with the date in front if the time `beside` is on another day. */
export function clockTimeText(at: number, beside: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T')
  const clock = `${time.slice(0, 5)} UTC`
  return date === new Date(beside).toISOString().slice(0, 10) ? clock : `${date} ${clock}`
}
