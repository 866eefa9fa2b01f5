/**
 * Limits the stored history of each agent, however much it reports: daily sums, states and commands. Each round
 * processes a few agents in turn, so that a round costs the same for any fleet.
 */
import { sql } from 'kysely'
import { lockAgent } from '../../fleet/commands/lock.ts'
import { keepOutcomesOfCommands } from '../../fleet/commands/outcomes.ts'
import { addUsageDeltas } from '../../fleet/reports/pending.ts'
import { otherModels, unfoldedDays, usageDays } from '../../fleet/reports/usage-names.ts'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { agentsWithTooMany, boundStates } from './states.ts'
import { surplusIdsOf } from './surplus.ts'

const agentsAtOnce = 25
/**
 * The maximum number of rows of daily sums of an agent. Beyond it, the rows of the models of an old day are folded into
 * one.
 */
const maxUsageRows = 10_000
const usageDaysAtOnce = 10
/**
 * Bounds the history of the next few agents, whose ids come after `after`. Returns the last of these ids, or '' when
 * all agents have had their turn.
 */
export async function boundHistories(
  db: Db,
  after: string,
  now: number,
  attempt: Attempt = attemptOrThrow,
): Promise<string> {
  const agents = await db
    .selectFrom('agent')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(agentsAtOnce)
    .execute()
  const ids = agents.map(({ id }) => id)
  if (ids.length === 0) return ''
  // The next agents have their turn even if the work for all of these fails.
  await attempt(`agents from ${ids[0]}`, () => boundAll(db, ids, now, attempt))
  return ids.length < agentsAtOnce ? '' : (ids.at(-1) ?? '')
}

async function boundAll(db: Db, ids: readonly string[], now: number, attempt: Attempt): Promise<void> {
  const today = dayNumber(now)
  const old = (id: string) =>
    db
      .deleteFrom('usage_day')
      .where('agent_id', '=', id)
      .where('day', '<', today - usageDays)
  for (const id of await withOldUsage(db, ids, today - usageDays))
    await attempt(`old sums ${id}`, () => old(id).execute())
  for (const id of await agentsWithTooMany(db, 'usage_day', ids, maxUsageRows))
    await attempt(`models ${id}`, () => foldModels(db, id, today))
  await boundStates(db, ids, now, attempt)
  for (const id of await agentsWithTooMany(db, 'command', ids, minKeptCommands))
    await attempt(`commands ${id}`, () => eraseOldCommands(db, id, now))
}

async function withOldUsage(db: Db, ids: readonly string[], first: number): Promise<string[]> {
  const query = db.selectFrom('usage_day').select('agent_id').distinct()
  const rows = await query.where('agent_id', 'in', ids).where('day', '<', first).execute()
  return rows.map((row) => row.agent_id)
}

/**
 * Folds the models of an agent's oldest days into one row per day, for as many days as needed. The latest days, which
 * pages show by default, are never folded.
 */
async function foldModels(db: Db, id: string, today: number): Promise<void> {
  const rows = db.selectFrom('usage_day').where('agent_id', '=', id)
  const firstBeyond = await rows.select('day').orderBy('day', 'desc').limit(1).offset(maxUsageRows).executeTakeFirst()
  const last = Math.min(firstBeyond?.day ?? 0, today - unfoldedDays)
  const named = rows.where('model', 'not in', ['', otherModels]).where('day', '<=', last)
  for (let days = [0]; days.length > 0; ) {
    const oldest = await named.select('day').distinct().orderBy('day').limit(usageDaysAtOnce).execute()
    days = oldest.map(({ day }) => day)
    if (days.length > 0) await foldDays(db, id, days)
  }
}

const foldDays = (db: Db, id: string, days: readonly number[]): Promise<void> =>
  transaction(db, async (trx) => {
    await lockAgent(trx, id)
    const models = await trx
      .selectFrom('usage_day')
      .select(['day', 'model', 'runs', 'cost_micro as costMicro', 'output_tokens as outputTokens'])
      .where('agent_id', '=', id)
      .where('day', 'in', days)
      .where('model', '!=', '')
      .execute()
    await trx
      .deleteFrom('usage_day')
      .where('agent_id', '=', id)
      .where('day', 'in', days)
      .where('model', '!=', '')
      .execute()
    const folded = addUsageDeltas(
      [],
      models.map((sum) => ({ ...sum, model: otherModels })),
    )
    const rows = folded.map(({ day, model, runs, costMicro, outputTokens }) => {
      return { agent_id: id, day, model, runs, cost_micro: costMicro, output_tokens: outputTokens }
    })
    if (rows.length > 0) await trx.insertInto('usage_day').values(rows).execute()
  })

// Erases commands that ended long ago, so that the commands of an agent are bounded however often people send them.

/** The number of commands of an agent that are always kept. The people who sent them share this number. */
export const minKeptCommands = 1000
/** The milliseconds for which a command is kept if it was not cancelled, because an agent may answer late (D3, D7). */
export const commandRetentionMs = dayMs
const commandsAtOnce = 250

/**
 * Erases the commands of an agent beyond those that are always kept. Cancelled commands are erased at once, others when
 * they have ended, are a day old, and have no stored log. Their actions keep the outcomes.
 */
async function eraseOldCommands(db: Db, agentId: string, now: number): Promise<void> {
  while ((await eraseSome(db, agentId, now)) === commandsAtOnce);
}

const eraseSome = (db: Db, agentId: string, now: number): Promise<number> =>
  transaction(db, async (trx) => {
    await lockAgent(trx, agentId)
    const old = await trx
      .selectFrom('command')
      .select('id')
      .where(
        'id',
        'in',
        sql<string>`(${surplusIdsOf('command', { of: 'agent_id', by: 'created_by', max: minKeptCommands }, agentId)})`,
      )
      .where((eb) =>
        eb.or([
          eb('state', '=', 'cancelled'),
          eb('due_at', 'is', null)
            .and('created_at', '<=', now - commandRetentionMs)
            .and(
              eb.not(eb.exists(eb.selectFrom('log').select('log.id').whereRef('log.command_id', '=', 'command.id'))),
            ),
        ]),
      )
      .orderBy('created_at')
      .limit(commandsAtOnce)
      .execute()
    const ids = old.map(({ id }) => id)
    if (ids.length === 0) return 0
    await keepOutcomesOfCommands(trx, ids)
    await trx.deleteFrom('command').where('id', 'in', ids).execute()
    return ids.length
  })
