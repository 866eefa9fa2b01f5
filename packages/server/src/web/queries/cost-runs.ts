/** The most expensive runs of the last days in a workspace. */
import type { CostRun } from '@svc/api'
import type { Run } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { sumsOfAgents } from './cost-sums.ts'
import { listTurns } from './fleet.ts'

const [days, shown] = [7, 20]
/** The number of agents whose runs are read in one turn of the event loop. An agent has up to 2000. */
const agentsAtOnce = 4

/**
 * The most expensive runs of the last 7 days. Agents are read in the order of their costs, the most expensive first,
 * until no run of the remaining agents can be among the most expensive.
 */
export async function costRuns(db: Db, workspace: { id: string }, now: number): Promise<CostRun[]> {
  const today = dayNumber(now)
  const agents = new Map<string, { id: string; name: string; costMicro: number }>()
  const time = { from: today - days + 1, to: today + 1, per: 'agent' } as const
  for await (const sums of sumsOfAgents(db, workspace, time))
    for (const { agent, sum } of sums) {
      if (!agent) continue
      const known = agents.get(agent.id)
      if (known) known.costMicro += sum.costMicro
      else agents.set(agent.id, { ...agent, costMicro: sum.costMicro })
    }
  const ordered = [...agents.values()].filter(({ costMicro }) => costMicro > 0)
  ordered.sort((a, b) => b.costMicro - a.costMicro)
  let runs: (CostRun & { micro: number })[] = []
  for (let i = 0; i < ordered.length; i += agentsAtOnce) {
    const least = runs.length < shown ? 0 : (runs.at(-1)?.micro ?? 0)
    if ((ordered[i]?.costMicro ?? 0) < least) break
    await listTurns.next(workspace.id)
    const names = new Map(ordered.slice(i, i + agentsAtOnce).map(({ id, name }) => [id, name]))
    const rows = await runsQuery(db, [...names.keys()], { since: (today - days + 1) * dayMs, least })
    const found = rows.map(({ agent_id, cost_micro, place, output_tokens, body, ...run }) => ({
      ...run,
      subject: (JSON.parse(body) as Run).subjects?.[0]?.title ?? null,
      agent: names.get(agent_id) ?? '',
      at: place,
      micro: cost_micro ?? 0,
      cost: (cost_micro ?? 0) / 1_000_000,
      outputTokens: output_tokens,
    }))
    runs = [...runs, ...found].sort((a, b) => b.micro - a.micro).slice(0, shown)
  }
  return runs.map(({ micro: _, ...run }) => run)
}

const runsQuery = (db: Db, ids: readonly string[], { since, least }: { since: number; least: number }) =>
  db
    .selectFrom('run')
    .select(['agent_id', 'id', 'place', 'kind', 'status', 'cost_micro', 'output_tokens', 'body'])
    .where('agent_id', 'in', ids)
    .where('place', '>=', since)
    .where('cost_micro', '>', least)
    .orderBy('cost_micro', 'desc')
    .orderBy('place', 'desc')
    .limit(shown)
    .execute()
