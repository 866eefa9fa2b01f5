/**
 * Keeps the daily sums of deleted agents, so that the costs of a workspace stay as they were. The sums of all deleted
 * agents are added up by day and model.
 */

import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { UsageDeletedTable } from '../../platform/db/tables/service.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { piecesOf } from '../../platform/lists.ts'
import { addUsageDeltas, pendingUsage } from './pending.ts'
import type { UsageDelta } from './stored.ts'
import { assignUsageRows, maxModelsPerDay, otherModels, type UsageRows, usageDays } from './usage-names.ts'

const rowsAtOnce = 500

/**
 * Adds the daily sums of an agent, including those that wait in the row of its last report, to those of the deleted
 * agents of its workspace. Called in the transaction that deletes the agent, which holds the lock of the agent.
 */
export async function keepUsageOfDeleted(trx: Db, id: string, now: number): Promise<void> {
  const agent = await trx.selectFrom('agent').select('workspace_id').where('id', '=', id).executeTakeFirst()
  const sums = await allSums(trx, id, dayNumber(now) - usageDays)
  if (!agent || sums.length === 0) return
  const days = daysOf(sums.filter(({ model }) => model === ''))
  const [first, last] = [Math.min(...days), Math.max(...days)]
  const kept = assignUsageRows(sums, await storedRows(trx, agent.workspace_id, sums), dayNumber(now))
  // Two transactions that delete agents at the same time lock the rows in the same order, so they cannot deadlock.
  kept.sort((a, b) => a.day - b.day || (a.model < b.model ? -1 : 1))
  const rows = kept.map(({ day, model, runs, costMicro, outputTokens }): UsageDeletedTable => {
    const counted = { began: model === '' && day === first ? 1 : 0, ended: model === '' && day === last ? 1 : 0 }
    return {
      workspace_id: agent.workspace_id,
      day,
      model,
      runs,
      cost_micro: costMicro,
      output_tokens: outputTokens,
      ...counted,
    }
  })
  for (const some of piecesOf(rows, rowsAtOnce)) await addRows(trx, some)
}

async function allSums(trx: Db, id: string, from: number): Promise<UsageDelta[]> {
  const stored = await trx
    .selectFrom('usage_day')
    .select(['day', 'model', 'runs', 'cost_micro as costMicro', 'output_tokens as outputTokens'])
    .where('agent_id', '=', id)
    .where('day', '>=', from)
    .execute()
  const last = await trx.selectFrom('agent_report').select('usage').where('agent_id', '=', id).executeTakeFirst()
  const waiting = pendingUsage(last?.usage ?? null).filter(({ day }) => day >= from)
  return addUsageDeltas(stored, waiting)
}

const addRows = (trx: Db, rows: UsageDeletedTable[]) =>
  trx
    .insertInto('usage_deleted')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'day', 'model'])
        .doUpdateSet(
          Object.fromEntries(
            (['runs', 'cost_micro', 'output_tokens', 'began', 'ended'] as const).map((column) => [
              column,
              sql<number>`usage_deleted.${sql.ref(column)} + excluded.${sql.ref(column)}`,
            ]),
          ),
        ),
    )
    .execute()

/**
 * The rows of the workspace from the first day of these sums on. The names of the models are read only for days that
 * may get too many.
 */
async function storedRows(trx: Db, workspaceId: string, sums: readonly UsageDelta[]): Promise<UsageRows> {
  const rows = trx
    .selectFrom('usage_deleted')
    .where('workspace_id', '=', workspaceId)
    .where('day', '>=', Math.min(...daysOf(sums)))
    .where('model', '!=', '')
  const counts = await rows
    .select(({ fn }) => ['day', fn.countAll<number>().as('count')])
    .select(sql<number>`sum(case when model = ${otherModels} then 1 else 0 end)`.as('others'))
    .groupBy('day')
    .execute()
  const known = new Map(counts.map(({ day, count, others }) => [day, { names: count - others, others: others > 0 }]))
  const gained = new Map<number, number>()
  for (const { day } of sums) gained.set(day, (gained.get(day) ?? 0) + 1)
  const full = [...known].flatMap(([day, { names, others }]) =>
    others || names + (gained.get(day) ?? 0) > maxModelsPerDay ? [day] : [],
  )
  const named = full.length === 0 ? [] : await rows.select(['day', 'model']).where('day', 'in', full).execute()
  const names = new Set(named.map(({ day, model }) => `${day} ${model}`))
  return {
    has: (day, model) => names.has(`${day} ${model}`),
    of: (day) => known.get(day) ?? { names: 0, others: false },
  }
}

const daysOf = (sums: readonly UsageDelta[]): number[] => [...new Set(sums.map(({ day }) => day))]
