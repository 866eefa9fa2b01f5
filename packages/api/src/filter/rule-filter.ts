/** Filters that limit an alert rule to some agents. */
import { filterKeys } from './keys.ts'
import { type Filter, type FilterError, parseFilter } from './parse.ts'

const ruleFilterKeys = Object.keys({
  tag: filterKeys.tag,
  host: filterKeys.host,
  blueprint: filterKeys.blueprint,
  name: filterKeys.name,
} satisfies Partial<typeof filterKeys>)

/**
 * Reads the filter of an alert rule. Only keys that identify agents are allowed. All other facts may change with the
 * problem that the rule is about, and would then end the alert or keep it from opening.
 */
export function parseRuleFilter(text: string): { ok: true; value: Filter } | ({ ok: false } & FilterError) {
  const read = parseFilter(text)
  if (!read.ok) return read
  const wrong = read.value.terms.find(({ key }) => key === undefined || !ruleFilterKeys.includes(key))
  if (!wrong) return read
  const subject = wrong.key === undefined ? 'Words without a key' : `${wrong.key}:`
  const changes = wrong.key === undefined ? 'change' : 'changes'
  return {
    ok: false,
    at: wrong.at,
    length: wrong.length,
    message: `The filter of a rule takes only tag:, host:, blueprint: and name:. ${subject} ${changes} with what the rule is about.`,
  }
}
