import type { UsageDay } from '../../api.ts'
import type { Db } from '../../db/open.ts'
import { dayOf } from './fleet-rows.ts'

/** Runs, cost and tokens of the last `days` days (UTC, today among them), oldest first; days without a run are zeros. */
export async function usageOf(db: Db, agent: { id: string }, days: number, now: number): Promise<UsageDay[]> {
  const today = dayOf(now)
  const rows = await db
    .selectFrom('usage_day')
    .select(['day', 'model', 'runs', 'cost_micro', 'output_tokens'])
    .where('agent_id', '=', agent.id)
    .where('day', '>', today - days)
    .where('day', '<=', today)
    .execute()
  const first = today - days + 1
  const all = Array.from(
    { length: days },
    (_, i): UsageDay => ({
      day: new Date((first + i) * 86_400_000).toISOString().slice(0, 10),
      runs: 0,
      cost: 0,
      outputTokens: 0,
      models: Object.create(null),
    }),
  )
  for (const row of rows) {
    const day = all[row.day - first]
    if (!day) continue
    if (row.model !== '') day.models[row.model] = row.cost_micro / 1_000_000
    else Object.assign(day, { runs: row.runs, cost: row.cost_micro / 1_000_000, outputTokens: row.output_tokens })
  }
  return all
}
