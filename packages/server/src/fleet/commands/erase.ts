/** Erases commands that ended long ago, so that the commands of an agent are bounded however often people send them. */
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { lockAgent } from './lock.ts'
import { keepOutcomesOf } from './outcomes.ts'

/** The number of newest commands of an agent that are always kept. */
export const maxCommands = 1000
/** The time for which a command that was not cancelled is kept, because an agent may answer it late (D3, D7). */
export const answeredMs = dayMs
const commandsAtOnce = 250

/**
 * Erases the commands of an agent before its newest ones: cancelled ones at once, the others after a day, and those
 * with a log together with it. Actions keep the outcomes.
 */
export async function eraseOldCommands(db: Db, agentId: string, now: number): Promise<void> {
  while ((await eraseSome(db, agentId, now)) === commandsAtOnce);
}

const eraseSome = (db: Db, agentId: string, now: number): Promise<number> =>
  transaction(db, async (trx) => {
    await lockAgent(trx, agentId)
    const ofAgent = trx.selectFrom('command').where('agent_id', '=', agentId)
    const last = await ofAgent
      .select(['id', 'created_at'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .offset(maxCommands)
      .limit(1)
      .executeTakeFirst()
    if (!last) return 0
    const old = await ofAgent
      .select('id')
      .where((eb) =>
        eb.or([
          eb('created_at', '<', last.created_at),
          eb('created_at', '=', last.created_at).and('id', '<=', last.id),
        ]),
      )
      .where((eb) =>
        eb.or([
          eb('state', '=', 'cancelled'),
          eb('due_at', 'is', null)
            .and('created_at', '<=', now - answeredMs)
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
    await keepOutcomesOf(trx, ids)
    await trx.deleteFrom('command').where('id', 'in', ids).execute()
    return ids.length
  })
