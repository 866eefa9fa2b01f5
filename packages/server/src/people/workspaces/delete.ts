/**
 * Deletes a workspace. One transaction makes everything unreadable, frees the short name and ends the tokens of the
 * agents. The rows are erased afterwards, some at a time (erase.ts).
 */
import type { Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { done } from '../../platform/verdict.ts'
import type { ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { unknownWorkspace, type WorkspaceInfo } from './store.ts'

/** The numbers of objects that are deleted with a workspace. */
interface DeletionCounts {
  agents: number
  runs: number
  logs: number
  people: number
}

/** Counts what would be deleted with a workspace, for the question that the page or command asks first. */
export async function deletionCounts(db: Db, { id }: { id: string }): Promise<DeletionCounts> {
  const { runs } = await db
    .selectFrom('agent')
    .innerJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select((eb) => eb.fn.sum<number | null>('runs_kept').as('runs'))
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  const { logs } = await db
    .selectFrom('agent')
    .innerJoin('log', 'log.agent_id', 'agent.id')
    .select((eb) => eb.fn.countAll<number>().as('logs'))
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...(await readSize(db, id)), runs: Number(runs ?? 0), logs: Number(logs) }
}

async function readSize(db: Db, id: string): Promise<Pick<DeletionCounts, 'agents' | 'people'>> {
  const agents = db.selectFrom('agent').select((eb) => eb.fn.countAll<number>().as('n'))
  const people = db.selectFrom('member').select((eb) => eb.fn.countAll<number>().as('n'))
  return {
    agents: Number((await agents.where('workspace_id', '=', id).executeTakeFirstOrThrow()).n),
    people: Number((await people.where('workspaceId', '=', id).executeTakeFirstOrThrow()).n),
  }
}

/**
 * Deletes a workspace. Afterwards it has no members, its short name is free, the tokens of its agents are invalid, and
 * no message waits for its channels. The activity of the service keeps one line.
 */
export const deleteWorkspace = (
  { db, by, now }: ChangeContext,
  workspace: WorkspaceInfo,
): Promise<Verdict<WorkspaceInfo, 'workspace_unknown'>> =>
  transaction(db, async (trx) => {
    const { id, slug, name } = workspace
    await lockAll(trx, id)
    const deleted = await trx
      .insertInto('workspace_deleted')
      .columns(['workspace_id', 'deleted_at'])
      .expression(
        trx
          .selectFrom('workspace')
          .select((eb) => ['id', eb.val(now).as('deleted_at')])
          .where('id', '=', id),
      )
      .onConflict((conflict) => conflict.column('workspace_id').doNothing())
      .returning('workspace_id')
      .executeTakeFirst()
    if (!deleted) return unknownWorkspace(slug)
    const details = { name, ...(await readSize(trx, id)) }
    await trx
      .updateTable('workspace')
      .set({ slug: deletedSlug(id) })
      .where('id', '=', id)
      .execute()
    await trx
      .updateTable('agent')
      .set({ token_hash: sql`${'deleted '} || id` })
      .where('workspace_id', '=', id)
      .execute()
    await endAll(trx, id, now)
    await audit(trx, {
      workspaceId: null,
      at: now,
      by,
      action: 'workspace.deleted',
      subject: `workspace ${slug}`,
      details,
    })
    return done(workspace)
  })

/** A short name for a deleted workspace. `findWorkspace` never finds it, because of the slash. */
const deletedSlug = (id: string): string => `deleted/${id}`

/**
 * Locks the members, the workspace and its agents, in the order in which all transactions lock them. Agents are locked
 * by ascending id, as reports do.
 */
async function lockAll(trx: Db, id: string): Promise<void> {
  if (!isPostgres(trx)) return
  await trx.selectFrom('member').select('id').where('workspaceId', '=', id).orderBy('id').forUpdate().execute()
  await trx.selectFrom('workspace').select('id').where('id', '=', id).forUpdate().execute()
  await trx.selectFrom('agent').select('id').where('workspace_id', '=', id).orderBy('id').forUpdate().execute()
}

/** Ends everything that would still change something or give somebody access. */
async function endAll(trx: Db, id: string, now: number): Promise<void> {
  for (const table of ['workspace_product', 'install_code', 'operator_invitation'] as const)
    await trx.deleteFrom(table).where('workspace_id', '=', id).execute()
  for (const table of ['invitation', 'member'] as const)
    await trx.deleteFrom(table).where('workspaceId', '=', id).execute()
  const channels = trx.selectFrom('alert_channel').select('id').where('scope', '=', id)
  await trx.deleteFrom('alert_delivery').where('channel_id', 'in', channels).where('state', '=', 'waiting').execute()
  await trx.updateTable('alert_channel').set({ enabled: 0 }).where('scope', '=', id).execute()
  await trx
    .updateTable('rollout')
    .set({ state: 'cancelled', changed_at: now })
    .where('workspace_id', '=', id)
    .where('state', '!=', 'done')
    .execute()
  await sql`delete from account_mail where topic like ${`%"workspace":"${id}"%`}`.execute(trx)
}
