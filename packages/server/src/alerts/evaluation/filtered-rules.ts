/**
 * Rules that a filter limits to some agents. For all other agents such a rule is judged as if it were off, so the
 * alerts of an agent that no longer fits end as they do when somebody turns the rule off.
 */
import { type RuleName, ruleNames } from '@svc/api'
import { type FilterFacts, filterTest, parseRuleFilter } from '@svc/api/filter'
import { tagsOf } from '../../fleet/agents/tags.ts'
import { reportedHosts } from '../../fleet/reports/hosts.ts'
import type { Db } from '../../platform/db/open.ts'
import type { SetRule } from '../store.ts'

/** Gives a rule as it is judged for an agent: turned off if its filter does not select the agent. */
type RuleFor = (rule: SetRule, agentId: string) => SetRule

/** A rule that is on and has a filter. */
interface FilteredRule {
  selects: (agent: FilterFacts) => boolean
  off: SetRule
}

const unfiltered: RuleFor = (rule) => rule

/**
 * Returns a function that reads, for some agents at a time, which rules are judged for them. Without a rule that has a
 * filter it reads nothing.
 */
export function filteredRules(
  db: Db,
  rules: (name: RuleName) => SetRule,
  now: number,
): (ids: readonly string[]) => Promise<RuleFor> {
  const filtered = new Map<RuleName, FilteredRule>()
  let readsHost = false
  for (const rule of ruleNames.map(rules)) {
    if (!rule.on || rule.filter === null) continue
    const read = parseRuleFilter(rule.filter)
    // A filter that this version cannot read limits nothing: an alert too many is better than one that is missing.
    if (!read.ok) continue
    const { terms } = read.value
    readsHost ||= terms.some(({ key }) => key === 'host')
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

/** The facts of agents that the filter of a rule reads. All others are empty, since no such filter reads them. */
async function filterFacts(db: Db, ids: readonly string[], readsHost: boolean): Promise<Map<string, FilterFacts>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['agent.id', 'name', 'blueprint', 'host', 'received_at'])
    .where('agent.id', 'in', ids)
    .execute()
  const unread = rows.filter(({ host, received_at }) => readsHost && host === null && received_at !== null)
  const hosts = await reportedHosts(
    db,
    unread.map(({ id }) => id),
  )
  const tags = await tagsOf(db, ids)
  return new Map(
    rows.map(({ id, name, blueprint, host }) => {
      const own = { name, host: (host ?? hosts.get(id)) || null, tags: tags.get(id) ?? [] }
      return [id, { ...unreadFacts, ...own, updates: { ...unreadFacts.updates, blueprint } }]
    }),
  )
}

const unreadFacts: FilterFacts = {
  ...{ name: '', level: null, label: null, detail: null, doing: null, version: null },
  ...{ seenAt: null, silentAt: null, stopped: null, statusLate: false, secretsMissing: false },
  ...{ host: null, tags: [], controls: [], costToday: null, cost30: null },
  alerts: { open: 0, acknowledged: 0 },
  updates: {
    ...{ blueprint: null, wishState: 'none', runtime: null },
    ...{ runtimeWishState: 'none', runtimeHeld: false, runtimeOutdated: false },
  },
}
