/** Corrects the times in the wishes and holds of agents after a clock was set back: none is later than now. */
import { cannotBe } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { type Wishes, wishesIn } from './kept.ts'
import { keep, lockRow } from './row.ts'

/** Corrects the wishes of all agents, each in a transaction of its own, and returns the number of changed agents. */
export async function mendWishes(db: Db, now: number): Promise<number> {
  const rows = await db.selectFrom('agent').select(['id', 'wishes']).where('wishes', 'is not', null).execute()
  const wrong = rows.filter(({ wishes }) => onThisClock(wishesIn(wishes), now) !== undefined)
  for (const { id } of wrong)
    await transaction(db, async (trx) => {
      const agent = await lockRow(trx, { id })
      const wishes = agent && onThisClock(wishesIn(agent.wishes), now)
      if (agent && wishes) await keep(trx, agent, wishes)
    })
  return wrong.length
}

/** The wishes with times that can be; undefined if all can. The numbers in a wish or hold are times, except a serial. */
function onThisClock(wishes: Wishes, now: number): Wishes | undefined {
  let isChanged = false
  const parts = Object.entries(wishes).map(([name, part]) => {
    const fields = Object.entries(part ?? {}).map(([field, value]) => {
      const isWrong = field !== 'serial' && typeof value === 'number' && cannotBe(value, now)
      isChanged ||= isWrong
      return [field, isWrong ? now : value]
    })
    return [name, part && Object.fromEntries(fields)]
  })
  return isChanged ? (Object.fromEntries(parts) as Wishes) : undefined
}
