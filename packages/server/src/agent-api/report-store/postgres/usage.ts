/**
 * Picks the rows of `usage_day` for the sums of a batch on PostgreSQL. Most batches have none to write, since sums wait
 * with the last report (pending.ts).
 */
import type pg from 'pg'
import type { UsageDelta } from '../../../fleet/reports/stored.ts'
import { limitNames, otherModels, type UsageRows } from '../../../fleet/reports/usage-names.ts'
import { dayOf } from '../../../platform/limits/units.ts'
import type { Decision, Submission } from '../rows.ts'
import { many } from './arrays.ts'
import { pipelined } from './pipeline.ts'

/**
 * The daily sums that must be written now, by agent id. The agents are locked, so no other batch adds model names to
 * the days of these agents meanwhile.
 */
export async function dueUsage(
  client: pg.PoolClient,
  batch: readonly Submission[],
  decisions: readonly Decision[],
  now: number,
): Promise<Map<string, readonly UsageDelta[]>> {
  const due = batch.flatMap(({ agentId }, i) => {
    const decision = decisions[i]
    return decision?.ok && decision.write.usage.length > 0 ? [{ agentId, sums: decision.write.usage }] : []
  })
  if (due.length === 0) return new Map()
  const rows = await usageRows(client, due)
  return new Map(due.map(({ agentId, sums }) => [agentId, limitNames(sums, rows(agentId), dayOf(now))]))
}

async function usageRows(
  client: pg.PoolClient,
  due: readonly { agentId: string; sums: readonly UsageDelta[] }[],
): Promise<(agentId: string) => UsageRows> {
  const named = due.flatMap(({ agentId, sums }) => sums.map(({ day, model }) => ({ agent: agentId, day, model })))
  const days = due.flatMap(({ agentId, sums }) =>
    [...new Set(sums.map(({ day }) => day))].map((day) => ({ agent: agentId, day })),
  )
  const [known, counted] = await pipelined(client, [knownNames.step(named), countedDays.step(days)])
  const names = new Set((known as Known[]).map(([agent, day, model]) => `${agent} ${day} ${model}`))
  const counts = new Map((counted as Counted[]).map(([agent, day, ...counts]) => [`${agent} ${day}`, counts]))
  return (agentId) => ({
    has: (day, model) => names.has(`${agentId} ${day} ${model}`),
    of: (day) => {
      const [count = '0', others = '0'] = counts.get(`${agentId} ${day}`) ?? []
      return { names: Number(count), others: others !== '0' }
    },
  })
}

type Known = readonly [agent: string, day: string, model: string]
type Counted = readonly [agent: string, day: string, names: string, others: string]

const knownNames = many<{ agent: string; day: number; model: string }>(
  'report_known_names',
  [
    ['agent', 'text'],
    ['day', 'bigint'],
    ['model', 'text'],
  ],
  (rows) => `select r.agent, r.day, r.model from ${rows}
    join usage_day u on u.agent_id = r.agent and u.day = r.day and u.model = r.model`,
)
const countedDays = many<{ agent: string; day: number }>(
  'report_counted_days',
  [
    ['agent', 'text'],
    ['day', 'bigint'],
  ],
  (rows) => `select r.agent, r.day, count(*) filter (where u.model not in ('', '${otherModels}')),
    count(*) filter (where u.model = '${otherModels}')
    from ${rows} join usage_day u on u.agent_id = r.agent and u.day = r.day group by r.agent, r.day`,
)
