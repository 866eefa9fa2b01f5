import type { ChangeContext } from '../../people/audit/by.ts'
import { unfinished } from '../../updates/rollouts/store.ts'
import { noteUpdate } from '../../updates/wishes/events.ts'
import { wishesIn } from '../../updates/wishes/kept.ts'
import { keep } from '../../updates/wishes/row.ts'

const why = 'A backup was restored.'

/**
 * Ends all wishes and cancels all unfinished rollouts of a restored database. Since the backup an admin may have wished
 * another version, and agents must not move back to the older one. Holds stay; the result is the number of wishes
 * ended.
 */
export async function endWishes({ db: trx, by, now }: ChangeContext): Promise<number> {
  const agents = await trx.selectFrom('agent').selectAll().where('wishes', 'is not', null).execute()
  let ended = 0
  for (const agent of agents) {
    const { blueprint, runtime, ...holds } = wishesIn(agent.wishes)
    if (!blueprint && !runtime) continue
    await keep(trx, agent, holds)
    const note = { at: now, kind: 'withdrawn', message: why, by: by.name } as const
    if (blueprint) await noteUpdate(trx, agent, { ...note, of: 'blueprint', version: blueprint.version })
    if (runtime) await noteUpdate(trx, agent, { ...note, of: 'runtime', version: runtime.version })
    ended += (blueprint ? 1 : 0) + (runtime ? 1 : 0)
  }
  const columns = { state: 'cancelled', why, changed_at: now } as const
  await trx.updateTable('rollout').set(columns).where('state', 'in', unfinished).execute()
  return ended
}
