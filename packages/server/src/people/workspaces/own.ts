/** Lets admins make further workspaces on the page, without the operator's command line. */
import type { Verdict } from '@svc/protocol'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { refuse } from '../../platform/verdict.ts'
import { decide, type PeopleCtx } from '../accounts/library.ts'
import type { Person } from '../accounts/store.ts'
import { activateWithin, insertWorkspace, ownProduct, type WorkspaceInfo, type WorkspaceRefusal } from './store.ts'

/**
 * A person who is an admin of this many workspaces cannot make another one. Otherwise a person could exceed the limits
 * of one workspace by making many.
 */
export const maxOwnWorkspaces = 20

/** Makes a workspace that is activated for this service, with the acting person as its admin. */
export const createOwnWorkspace = (
  { people, by, now }: PeopleCtx<Person>,
  wanted: { slug: string; name: string },
): Promise<Verdict<WorkspaceInfo, WorkspaceRefusal | 'not_allowed' | 'workspaces_too_many'>> =>
  decide<WorkspaceInfo, WorkspaceRefusal | 'not_allowed' | 'workspaces_too_many'>(people, async (trx, accounts) => {
    await lockPerson(trx, by)
    const { active, all } = await adminOf(trx, by)
    if (active === 0) {
      return refuse('not_allowed', 'Only an admin of an activated workspace may create another one: ask the operator.')
    }
    if (all >= maxOwnWorkspaces) {
      return refuse('workspaces_too_many', `You are an admin of ${all} workspaces: the operator can create more.`)
    }
    const made = await insertWorkspace({ db: trx, by, now }, accounts, { ...wanted, adminId: by.id })
    if (made.ok) await activateWithin({ db: trx, by, now }, made.value, ownProduct)
    return made
  })

/**
 * Locks the person's row, so that two workspaces that the person makes at the same time are both counted. SQLite needs
 * no lock, since it has one writer.
 */
async function lockPerson(trx: Db, { id }: Person): Promise<void> {
  if (isPostgres(trx)) await trx.selectFrom('user').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/**
 * The number of workspaces in which a person is an admin, and how many of them are activated. The person's memberships
 * stay locked until the transaction ends, so that nobody can take the right away before that (I33).
 */
async function adminOf(trx: Db, { id }: Person): Promise<{ active: number; all: number }> {
  const rows = trx.selectFrom('member').select('workspaceId').where('userId', '=', id).where('role', '=', 'admin')
  const held = await (isPostgres(trx) ? rows.forShare() : rows).execute()
  if (held.length === 0) return { active: 0, all: 0 }
  const active = await trx
    .selectFrom('workspace_product')
    .select('workspace_id')
    .where('product_id', '=', ownProduct)
    .where(
      'workspace_id',
      'in',
      held.map(({ workspaceId }) => workspaceId),
    )
    .execute()
  return { active: active.length, all: held.length }
}
