import type { Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import type { WorkspaceInfo } from './store.ts'

/** The latest time that a date can hold. */
const latestDate = 8.64e15

/**
 * Sets the time from which admins of a workspace need a second factor (`memberRightsOf`); null ends the requirement. A
 * time in the past means now.
 */
export async function requireFactor(
  { db, by, now }: ChangeContext,
  workspace: WorkspaceInfo,
  wanted: number | null,
): Promise<Verdict<number | null, 'body_invalid'>> {
  if (wanted !== null && (wanted < 0 || wanted > latestDate))
    return refuse('body_invalid', 'factorFrom must be a time in Unix milliseconds, or null.')
  const from = wanted === null ? null : Math.max(Math.round(wanted), now)
  return transaction(db, async (trx) => {
    if ((await readRequirement(trx, workspace)) === from) return done(from)
    await setRequirement(trx, workspace, from)
    const note = { workspaceId: workspace.id, at: now, by, subject: `workspace ${workspace.slug}` }
    await audit(
      trx,
      from === null
        ? { ...note, action: 'workspace.factor_not_required' }
        : { ...note, action: 'workspace.factor_required', details: { from } },
    )
    return done(from)
  })
}

/** The time from which admins of a workspace need a second factor; null if never. */
export async function readRequirement(db: Db, workspace: { id: string }): Promise<number | null> {
  const row = db.selectFrom('factor_requirement').select('from_at').where('workspace_id', '=', workspace.id)
  const found = await row.executeTakeFirst()
  return found ? Number(found.from_at) : null
}

async function setRequirement(db: Db, workspace: { id: string }, from: number | null): Promise<void> {
  if (from === null) {
    await db.deleteFrom('factor_requirement').where('workspace_id', '=', workspace.id).execute()
    return
  }
  const row = { workspace_id: workspace.id, from_at: from }
  const insert = db.insertInto('factor_requirement').values(row)
  await insert.onConflict((oc) => oc.column('workspace_id').doUpdateSet({ from_at: from })).execute()
}
