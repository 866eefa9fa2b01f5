/** Makes the values of the form for an alert rule, checks them, and makes the request that changes the rule. */
import type { Operations, RuleSettings } from '@svc/api'
import { parseRuleFilter } from '@svc/api/filter'
import { alertRules, type DurationUnit, durationUnits, inLargestUnit } from '@svc/api/words'
import { numberIn, trimInvisible } from '@svc/protocol'

/** A duration as people type it: the number, and one of the units. */
interface LengthValue {
  number: string
  unit: string
}

/** The values of the form for a rule. */
export interface RuleValues {
  to: 'all' | 'some'
  channels: string[]
  /** The filter that names the agents for which the rule is judged; empty for all. */
  filter: string
  after: LengthValue
  limit: string
  statuses: string
  reminds: boolean
  escalates: boolean
  /** How long an alert must be open without an acknowledgement before the rule escalates. */
  escalateAfter: LengthValue
  secondChannels: string[]
}

/** The proposed time without an acknowledgement after which a rule escalates, in seconds. */
const firstEscalation = 15 * 60

/** For each optional field of the form for a rule, a function that is true if the rule has this field. */
export const hasField = {
  filter: ({ rule }: RuleSettings) => alertRules[rule].isAboutAgents !== false,
  after: ({ rule }: RuleSettings) => !alertRules[rule].isEvent,
  limit: ({ rule }: RuleSettings) => alertRules[rule].setting === 'limit',
  statuses: ({ rule }: RuleSettings) => alertRules[rule].setting === 'statuses',
  /** Only alerts of the level Bad have reminders. */
  reminders: ({ level }: RuleSettings) => level === 'bad',
  escalation: ({ rule }: RuleSettings) => !alertRules[rule].isEvent,
}

/** The values with which the form for a rule opens. */
export const ruleValuesOf = (rule: RuleSettings): RuleValues => ({
  to: rule.channels === null ? 'all' : 'some',
  channels: rule.channels ?? [],
  filter: rule.filter ?? '',
  after: lengthValue(rule.after),
  limit: rule.limit === null ? '' : String(rule.limit),
  statuses: (rule.statuses ?? []).join(', '),
  reminds: rule.reminds,
  escalates: rule.escalation !== null,
  escalateAfter: lengthValue(rule.escalation?.after ?? firstEscalation),
  secondChannels: rule.escalation?.channels ?? [],
})

function lengthValue(seconds: number): LengthValue {
  const { number, unit } = inLargestUnit(seconds)
  return { number: String(number), unit }
}

/**
 * The error below each field of the form for a rule; null if its value is valid. The service checks all values again.
 */
export const ruleFormErrors = {
  filter: (text: string) => {
    const read = parseRuleFilter(text)
    return read.ok ? null : read.message
  },
  after: ({ number }: LengthValue) => (isWhole(number) ? null : 'Enter a whole number.'),
  limit: (text: string) =>
    numberIn(text) === '' || Number(numberIn(text)) > 0 ? null : 'Enter an amount, or nothing for no limit.',
  escalateAfter: ({ number }: LengthValue, { escalates }: RuleValues) =>
    !escalates || (isWhole(number) && Number(numberIn(number)) > 0) ? null : 'Enter a whole number above 0.',
  secondChannels: (names: string[], { escalates }: RuleValues) =>
    !escalates || names.length > 0 ? null : 'Choose at least one channel.',
}

const isWhole = (text: string): boolean => /^\d{1,7}$/.test(numberIn(text))

/** The request that changes a rule to the values of its form. Settings that the rule does not have are left out. */
export const ruleChangeOf = (rule: RuleSettings, values: RuleValues): Operations['PATCH /w/:slug/rules']['sent'] => ({
  rule: rule.rule,
  channels: values.to === 'all' ? null : values.channels,
  ...(hasField.filter(rule) && { filter: trimInvisible(values.filter) || null }),
  ...(hasField.after(rule) && { after: secondsOf(values.after) }),
  ...(hasField.limit(rule) && { limit: numberIn(values.limit) === '' ? null : Number(numberIn(values.limit)) }),
  ...(hasField.statuses(rule) && { statuses: wordsOf(values.statuses) }),
  ...(hasField.reminders(rule) && { reminds: values.reminds }),
  ...(hasField.escalation(rule) && {
    escalation: values.escalates ? { after: secondsOf(values.escalateAfter), channels: values.secondChannels } : null,
  }),
})

const secondsOf = ({ number, unit }: LengthValue): number =>
  Number(numberIn(number)) * durationUnits[unit as DurationUnit]

const wordsOf = (text: string): string[] =>
  text
    .split(',')
    .map(trimInvisible)
    .filter((word) => word !== '')
