import type { Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import { endWaiting } from '../../deliveries/settling.ts'
import { rotateToken } from '../../fleet/agents/store.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { beginHistory } from '../../platform/marks.ts'
import { endWishes } from './end-wishes.ts'

export interface NewAgentToken {
  /** The agent's name in the form `SLUG/NAME`. */
  agent: string
  /** The new token of the agent, which is shown only this once. */
  token: string
}

const by = { id: null, name: 'operator' }

/**
 * Renews access after a restore: all agents, or those named as `SLUG/NAME`, get new tokens; sessions, open one-time
 * links, unused install codes, wishes, unfinished rollouts and waiting deliveries of alerts end. An unknown name is
 * refused before anything is changed.
 */
export async function renewAccess(
  db: Db,
  tokensOf: string[] | undefined,
  now: number,
): Promise<Verdict<NewAgentToken[], 'agent_unknown'>> {
  const all = await db
    .selectFrom('agent')
    .innerJoin('workspace', 'workspace.id', 'agent.workspace_id')
    .select(['agent.id', 'agent.name', 'workspace.slug'])
    .where('workspace.id', 'not in', db.selectFrom('workspace_deleted').select('workspace_id'))
    .orderBy('workspace.slug')
    .orderBy('agent.name')
    .execute()
  const named = all.map(({ id, slug, name }) => ({ id, agent: `${slug}/${name}` }))
  const missing = tokensOf?.find((wanted) => !named.some(({ agent }) => agent === wanted))
  if (missing !== undefined)
    return { ok: false, code: 'agent_unknown', message: `The restored data has no agent ${missing}.` }
  const chosen = tokensOf ? named.filter(({ agent }) => tokensOf.includes(agent)) : named
  const renewed: NewAgentToken[] = []
  for (const { id, agent } of chosen) {
    const rotated = await rotateToken({ db, by, now }, { id })
    if (rotated.ok) renewed.push({ agent, token: rotated.value.token })
  }
  await transaction(db, async (trx) => {
    await sql`delete from session`.execute(trx)
    await trx.deleteFrom('first_half').execute()
    await trx.deleteFrom('link').where('used_at', 'is', null).execute()
    // An install code that was used or revoked since the backup must not become valid again.
    await trx
      .updateTable('install_code')
      .set({ revoked_at: now })
      .where('redeemed_at', 'is', null)
      .where('revoked_at', 'is', null)
      .execute()
    await endWaiting(trx, { why: 'restored' }, now)
    // Their links would be about requests that were made before the backup.
    await trx.deleteFrom('account_mail').execute()
    await beginHistory(trx)
    const wishes = await endWishes({ db: trx, by, now })
    const details = { tokens: renewed.map(({ agent }) => agent), wishes }
    await audit(trx, { workspaceId: null, at: now, by, action: 'service.restored', subject: 'service', details })
  })
  return { ok: true, value: renewed }
}
