import type { Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import { endWaiting } from '../../deliveries/settling.ts'
import { rotateToken } from '../../fleet/agents/store.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { beginHistory } from '../../platform/marks.ts'
import { unfinishedStates } from '../../updates/rollouts/states.ts'
import { noteUpdate } from '../../updates/wishes/events.ts'
import { wishesIn } from '../../updates/wishes/kept.ts'
import { storeWishes } from '../../updates/wishes/row.ts'
import { keepEnded, tokenEnded } from './revived.ts'
import type { LaterChanges } from './since.ts'

export interface NewAgentToken {
  /** The agent's name in the form `SLUG/NAME`. */
  agent: string
  /** The new token of the agent, which is shown only this once. */
  token: string
}

const by = { id: null, name: 'operator' }

interface Renewal {
  /** The agents that get new tokens, as `SLUG/NAME`; undefined means all of them. */
  tokensOf?: string[] | undefined
  now: number
  /** The time of the backup; missing if it is not known. */
  from?: number
  /** The access that ended since the backup; missing if that is not known. */
  since?: LaterChanges | undefined
}

/**
 * Renews access after a restore. New tokens go to all agents, or to those in `tokensOf` and those whose tokens ended
 * since the backup; an unknown name is refused before anything is changed. Sessions, unused links and install codes,
 * invitations, wishes, unfinished rollouts and waiting deliveries end.
 */
export async function renewAccess(
  db: Db,
  { tokensOf, now, from, since }: Renewal,
): Promise<Verdict<NewAgentToken[], 'agent_unknown'>> {
  const all = await db
    .selectFrom('agent')
    .innerJoin('workspace', 'workspace.id', 'agent.workspace_id')
    .select(['agent.id', 'agent.name', 'workspace.slug', 'workspace.id as workspaceId'])
    .where('workspace.id', 'not in', db.selectFrom('workspace_deleted').select('workspace_id'))
    .orderBy('workspace.slug')
    .orderBy('agent.name')
    .execute()
  const named = all.map(({ id, workspaceId, slug, name }) => ({ id, workspaceId, agent: `${slug}/${name}` }))
  const missing = tokensOf?.find((wanted) => !named.some(({ agent }) => agent === wanted))
  if (missing !== undefined)
    return { ok: false, code: 'agent_unknown', message: `The restored data has no agent ${missing}.` }
  const ended = since ? tokenEnded(since) : () => false
  const chosen = tokensOf ? named.filter((each) => tokensOf.includes(each.agent) || ended(each)) : named
  const renewed: NewAgentToken[] = []
  for (const { id, agent } of chosen) {
    const rotated = await rotateToken({ db, by, now }, { id })
    if (rotated.ok) renewed.push({ agent, token: rotated.value.token })
  }
  await transaction(db, async (trx) => {
    await sql`delete from session`.execute(trx)
    await sql`delete from verification`.execute(trx)
    await trx.deleteFrom('first_half').execute()
    await trx.deleteFrom('link').where('used_at', 'is', null).execute()
    // An install code that was used or revoked since the backup must not become valid again.
    await trx
      .updateTable('install_code')
      .set({ revoked_at: now })
      .where('redeemed_at', 'is', null)
      .where('revoked_at', 'is', null)
      .execute()
    // An invitation must not become valid again either: it may have been used by somebody else, or withdrawn.
    await trx.deleteFrom('operator_invitation').execute()
    await trx.updateTable('invitation').set({ status: 'canceled' }).where('status', '=', 'pending').execute()
    await endWaiting(trx, { why: 'restored' }, now)
    // The links of these mails would be about requests that were made before the backup.
    await trx.deleteFrom('account_mail').execute()
    await beginHistory(trx)
    const wishes = await endWishes({ db: trx, by, now })
    if (since) await keepEnded(trx, since, by, now)
    const details = { tokens: renewed.map(({ agent }) => agent), wishes, from, compared: since !== undefined }
    await audit(trx, { workspaceId: null, at: now, by, action: 'service.restored', subject: 'service', details })
  })
  return { ok: true, value: renewed }
}

const restoreReason = 'A backup was restored.'

/**
 * Ends all wishes and cancels all unfinished rollouts of a restored database. Since the backup an admin may have wished
 * another version, and agents must not move back to the older one. Holds stay; the result is the number of wishes
 * ended.
 */
async function endWishes({ db: trx, by, now }: ChangeContext): Promise<number> {
  const agents = await trx.selectFrom('agent').selectAll().where('wishes', 'is not', null).execute()
  let ended = 0
  for (const agent of agents) {
    const { blueprint, runtime, ...holds } = wishesIn(agent.wishes)
    if (!blueprint && !runtime) continue
    await storeWishes(trx, agent, holds)
    const note = { at: now, kind: 'withdrawn', message: restoreReason, by: by.name } as const
    if (blueprint) await noteUpdate(trx, agent, { ...note, of: 'blueprint', version: blueprint.version })
    if (runtime) await noteUpdate(trx, agent, { ...note, of: 'runtime', version: runtime.version })
    ended += (blueprint ? 1 : 0) + (runtime ? 1 : 0)
  }
  const columns = { state: 'cancelled', why: restoreReason, changed_at: now } as const
  await trx.updateTable('rollout').set(columns).where('state', 'in', unfinishedStates).execute()
  return ended
}
