import type { UsageDay } from '../../api.ts'
import type { Db } from '../../db/open.ts'
import { addUp, pendingUsage } from '../../reports/pending.ts'
import type { UsageDelta } from '../../reports/rows.ts'
import { dayOf } from './fleet-rows.ts'

/** Runs, cost and tokens of the last `days` days (UTC, today among them), oldest first; days without a run are zeros. */
export async function usageOf(db: Db, agent: { id: string }, days: number, now: number): Promise<UsageDay[]> {
  const first = dayOf(now) - days + 1
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
  for (const sum of await usageSums(db, agent, first)) {
    const day = all[sum.day - first]
    if (!day) continue
    if (sum.model !== '') day.models[sum.model] = sum.costMicro / 1_000_000
    else Object.assign(day, { runs: sum.runs, cost: sum.costMicro / 1_000_000, outputTokens: sum.outputTokens })
  }
  return all
}

/** Sums of an agent's days from this one on, by day and model: those that stand in rows of their own and those that wait. */
export async function usageSums(db: Db, agent: { id: string }, from = 0): Promise<UsageDelta[]> {
  const stored = await db
    .selectFrom('usage_day')
    .select(['day', 'model', 'runs', 'cost_micro as costMicro', 'output_tokens as outputTokens'])
    .where('agent_id', '=', agent.id)
    .where('day', '>=', from)
    .orderBy('day')
    .orderBy('model')
    .execute()
  const last = await db.selectFrom('agent_report').select('usage').where('agent_id', '=', agent.id).executeTakeFirst()
  return addUp(
    stored,
    pendingUsage(last?.usage ?? null).filter(({ day }) => day >= from),
  )
}
