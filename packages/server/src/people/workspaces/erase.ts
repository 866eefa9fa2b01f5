/**
 * Erases the data of deleted workspaces, some rows at a time, so that reports never wait long for it. The remaining
 * rows show what is to be done next, so any node can continue after a kill.
 */
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'

/** The number of transactions in one call. The remaining rows follow in the next rounds of the sweeper. */
const stepsAtOnce = 200
/** The maximum number of workspaces that one call works on. */
const workspacesAtOnce = 100
/** The number of agents whose rows are erased together. */
const agentsAtOnce = 20

/** A table, the maximum number of its rows that one transaction erases, and the condition for a workspace's rows. */
type ErasedTable = readonly [table: keyof Tables, atOnce: number, where: (id: string) => RawBuilder<unknown>]

/** The tables whose rows belong to an agent. Rows with long texts are erased in smaller numbers. */
export const tablesOfAgents: readonly (readonly [table: keyof Tables, atOnce: number])[] = [
  ['run', 50],
  ['log', 1],
  ['command', 500],
  ['usage_day', 500],
  ['level_change', 500],
  ['agent_offline', 500],
  ['update_event', 500],
  ['machine_change', 500],
  ['alert_mute', 500],
  ['agent_old_name', 500],
  ['agent_hours', 500],
  ['agent_tag', 500],
  ['bot_token', 500],
  ['rollout_agent', 500],
  ['agent_report', 5],
]

const inWorkspace = (id: string) => sql`workspace_id = ${id}`
const inScope = (id: string) => sql`scope = ${id}`

/** The tables whose rows belong to a workspace, those that refer to others first. */
export const tablesOfWorkspaces: readonly ErasedTable[] = [
  ['install_code', 500, inWorkspace],
  ['alert_delivery', 200, (id) => sql`channel_id in (select id from alert_channel where scope = ${id})`],
  ['alert_channel', 500, inScope],
  ['alert_mute', 500, inScope],
  ['alert_rule', 500, inScope],
  ['alert_setting', 500, inScope],
  ['alert', 200, inScope],
  ['agent_old_name', 500, inWorkspace],
  ['action_agent', 500, (id) => sql`action_id in (select id from action where workspace_id = ${id})`],
  ['action_change', 500, (id) => sql`action_id in (select id from action where workspace_id = ${id})`],
  ['action', 500, inWorkspace],
  ['saved_view', 500, inWorkspace],
  ['usage_deleted', 500, inWorkspace],
  ['version_day', 500, inWorkspace],
  ['rollout', 100, inWorkspace],
  ['bot', 100, inWorkspace],
  ['blueprint_version', 1, (id) => sql`blueprint_id in (select id from blueprint where workspace_id = ${id})`],
  ['blueprint', 100, inWorkspace],
  ['workspace_limit', 500, inWorkspace],
  ['workspace_product', 500, inWorkspace],
  ['operator_invitation', 500, inWorkspace],
  ['factor_requirement', 500, inWorkspace],
  ['invitation', 500, (id) => sql`"workspaceId" = ${id}`],
  ['member', 500, (id) => sql`"workspaceId" = ${id}`],
  ['audit', 500, inWorkspace],
]

/** Erases rows of deleted workspaces, with a turn of the event loop between two transactions. */
export async function eraseDeletedWorkspaces(
  db: Db,
  { steps = stepsAtOnce, attempt = attemptOrThrow }: { steps?: number; attempt?: Attempt } = {},
): Promise<void> {
  const deleted = await db
    .selectFrom('workspace_deleted')
    .select('workspace_id as id')
    .orderBy('deleted_at')
    .limit(workspacesAtOnce)
    .execute()
  let step = 0
  for (const { id } of deleted)
    await attempt(id, async () => {
      while (step < steps && (await transaction(db, (trx) => eraseSome(trx, id)))) {
        step++
        await setImmediate()
      }
    })
}

/** Erases some rows of a deleted workspace. False if none is left, or if another node is erasing it. */
async function eraseSome(trx: Db, id: string): Promise<boolean> {
  const row = trx.selectFrom('workspace_deleted').select('workspace_id').where('workspace_id', '=', id)
  if (!(await (isPostgres(trx) ? row.forUpdate().skipLocked() : row).executeTakeFirst())) return false
  const agents = await trx
    .selectFrom('agent')
    .select('id')
    .where('workspace_id', '=', id)
    .orderBy('name') // The order of an index: sorted by id, each transaction would read all agents of the workspace.
    .limit(agentsAtOnce)
    .execute()
  if (agents.length > 0) {
    const ids = agents.map((agent) => agent.id)
    for (const [table, atOnce] of tablesOfAgents)
      if (await erased(trx, table, atOnce, sql`agent_id in (${sql.join(ids)})`)) return true
    await trx.deleteFrom('agent').where('id', 'in', ids).execute()
    return true
  }
  for (const [table, atOnce, where] of tablesOfWorkspaces) if (await erased(trx, table, atOnce, where(id))) return true
  await trx.deleteFrom('workspace').where('id', '=', id).execute()
  return true
}

/**
 * Erases at most `atOnce` rows of a table, found by the row number of the engine (`ctid` or `rowid`). False if there
 * are none.
 */
async function erased(trx: Db, table: keyof Tables, atOnce: number, where: RawBuilder<unknown>): Promise<boolean> {
  const from = sql.table(table)
  const rows = isPostgres(trx)
    ? sql`ctid = any(array(select ctid from ${from} where ${where} limit ${sql.lit(atOnce)}))`
    : sql`rowid in (select rowid from ${from} where ${where} limit ${sql.lit(atOnce)})`
  const { numAffectedRows } = await sql`delete from ${from} where ${rows}`.execute(trx)
  return (numAffectedRows ?? 0n) > 0n
}
