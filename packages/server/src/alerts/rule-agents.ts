/** The agents for which rules with a filter are judged. */
import { setImmediate } from 'node:timers/promises'
import type { RuleFits } from '@svc/api'
import { type FilterFacts, type FilterTerm, judgeOf, parseRuleFilter } from '@svc/api/filter'
import { readTags } from '../fleet/agents/tags.ts'
import { reportedHosts } from '../fleet/reports/hosts.ts'
import type { Db } from '../platform/db/open.ts'
import { piecesOf } from '../platform/lists.ts'

const agentsAtOnce = 500

/**
 * Counts the agents of a workspace that each of these filters of rules selects, and finds the negated terms that
 * exclude no agent. A filter that this version cannot read is left out.
 */
export async function countFits(
  db: Db,
  workspaceId: string,
  filters: readonly string[],
  now: number,
): Promise<Map<string, RuleFits>> {
  const counters = new Map(
    filters.flatMap((filter) => {
      const read = parseRuleFilter(filter)
      return read.ok ? [[filter, fitCounter(read.value.terms, now)] as const] : []
    }),
  )
  if (counters.size === 0) return new Map()
  const readsHost = [...counters.values()].some((counter) => counter.readsHost)
  const all = await db.selectFrom('agent').select('id').where('workspace_id', '=', workspaceId).execute()
  for (const piece of piecesOf(all, agentsAtOnce)) {
    const ids = piece.map(({ id }) => id)
    const facts = await filterFacts(db, ids, readsHost)
    for (const agent of facts.values()) for (const { add } of counters.values()) add(agent)
    await setImmediate()
  }
  return new Map([...counters].map(([filter, { fits }]) => [filter, fits()]))
}

/** Counts the agents that a filter selects, and finds its negated terms that exclude no agent. */
function fitCounter(terms: readonly FilterTerm[], now: number) {
  const judge = judgeOf(terms, now)
  const selects = judge.selects()
  let [agents, held] = [0, 0]
  const add = (agent: FilterFacts): void => {
    const holding = judge.holding(agent)
    held |= holding
    if (selects(holding)) agents++
  }
  const fits = (): RuleFits => {
    const idle = judge.idle(held).map(({ at, length }) => ({ at, length }))
    return { agents, ...(idle.length > 0 && { idle }) }
  }
  return { readsHost: isAboutHosts(terms), add, fits }
}

export const isAboutHosts = (terms: readonly FilterTerm[]): boolean => terms.some(({ key }) => key === 'host')

/** The facts of agents that filters of rules read, by the id of the agent. All other facts are empty. */
export async function filterFacts(
  db: Db,
  ids: readonly string[],
  readsHost: boolean,
): Promise<Map<string, FilterFacts>> {
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
  const tags = await readTags(db, ids)
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
