/**
 * Rules that a filter limits to some agents. For all other agents such a rule is judged as if it were off, so the
 * alerts of an agent that no longer fits end as they do when somebody turns the rule off.
 */
import { type RuleName, ruleNames } from '@svc/api'
import { type FilterFacts, filterTest, parseRuleFilter } from '@svc/api/filter'
import type { Db } from '../../platform/db/open.ts'
import { filterFacts, isAboutHosts } from '../rule-agents.ts'
import type { ScopedRule } from '../scoped-rules.ts'

/**
 * Returns a rule in the form in which it is judged for an agent: turned off if its filter does not select the agent.
 */
type RuleFor = (rule: ScopedRule, agentId: string) => ScopedRule

/** The filter of a rule that is on, and the same rule turned off. */
interface FilteredRule {
  selects: (agent: FilterFacts) => boolean
  off: ScopedRule
}

const unfiltered: RuleFor = (rule) => rule

/**
 * Returns a function that reads, for some agents at a time, which rules are judged for them. If no rule has a filter,
 * the function reads nothing.
 */
export function filteredRules(
  db: Db,
  rules: (name: RuleName) => ScopedRule,
  now: number,
): (ids: readonly string[]) => Promise<RuleFor> {
  const filtered = new Map<RuleName, FilteredRule>()
  let readsHost = false
  for (const rule of ruleNames.map(rules)) {
    if (!rule.on || rule.filter === null) continue
    const read = parseRuleFilter(rule.filter)
    // A filter that this version cannot read limits nothing: one alert too many is better than one too few.
    if (!read.ok) continue
    const { terms } = read.value
    readsHost ||= isAboutHosts(terms)
    filtered.set(rule.name, { selects: filterTest(terms, now), off: { ...rule, on: false } })
  }
  if (filtered.size === 0) return async () => unfiltered
  return async (ids) => {
    const facts = await filterFacts(db, ids, readsHost)
    return (rule, agentId) => {
      const own = filtered.get(rule.name)
      const agent = own && facts.get(agentId)
      return own && !(agent && own.selects(agent)) ? own.off : rule
    }
  }
}
