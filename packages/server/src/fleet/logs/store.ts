/**
 * Logs that agents uploaded (2.8, D7): the first upload for a command is kept for thirty days, and only admins may read
 * it.
 */
import { type LogUpload, limits, type RefusalCode } from '@svc/protocol'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { LogRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { commandBodyOf } from '../commands/row.ts'
import { commandAfterEvent } from '../commands/settle.ts'

type LogStored =
  | { ok: true; workspaceId: string; made: boolean }
  | {
      ok: false
      code: Extract<RefusalCode, 'token_unknown' | 'workspace_inactive' | 'command_unknown' | 'body_invalid'>
    }

/** Stores an upload and settles its command. Checks the token and the workspace again in the transaction (D22). */
export function storeLog(
  db: Db,
  caller: { agentId: string; tokenHash: string },
  upload: LogUpload,
  now: number,
): Promise<LogStored> {
  return transaction(db, async (trx) => {
    const agent = await callerInTransaction(trx, caller)
    if (!agent) return { ok: false, code: 'token_unknown' }
    if (agent.activated_at === null) return { ok: false, code: 'workspace_inactive' }
    const command = await trx
      .selectFrom('command')
      .selectAll()
      .where('id', '=', upload.command)
      .where('agent_id', '=', caller.agentId)
      .where('type', '=', 'log')
      .where('delivered_at', '>', now - limits.logAnswerSeconds * 1000)
      .$if(isPostgres(trx), (query) => query.forUpdate())
      .executeTakeFirst()
    if (!command || command.state === 'cancelled') return { ok: false, code: 'command_unknown' }
    const body = commandBodyOf(command)
    if (body.type !== 'log' || body.payload.name !== upload.name) return { ok: false, code: 'body_invalid' }
    const after = commandAfterEvent(command, 'uploaded', { answered_at: now })
    if (after === command) return { ok: true, workspaceId: agent.workspace_id, made: false }
    await insert(trx, caller.agentId, upload, now)
    await trx
      .updateTable('command')
      .set({ state: after.state, answered_at: now, due_at: null })
      .where('id', '=', command.id)
      .execute()
    return { ok: true, workspaceId: agent.workspace_id, made: true }
  })
}

/** A stored log without its text, with the name of the person who requested it. */
export type ListedLogRow = Omit<LogRow, 'text'> & { asked_by: string }

/**
 * The logs of an agent that can still be read, newest first, without their texts. An expired log is hidden even before
 * it is erased (D56).
 */
export function listSentLogs(db: Db, agent: { id: string }, now: number): Promise<ListedLogRow[]> {
  return readableLogs(db, agent, now).orderBy('log.received_at', 'desc').orderBy('log.id', 'desc').execute()
}

/** One log with its text; undefined if it does not exist or has expired. */
export function readSentLog(
  db: Db,
  agent: { id: string },
  id: string,
  now: number,
): Promise<(ListedLogRow & { text: string }) | undefined> {
  return readableLogs(db, agent, now).select('log.text').where('log.id', '=', id).executeTakeFirst()
}

/**
 * Returns the id of the log of each given command, by the id of the command. Commands without a log that can still be
 * read are left out.
 */
export async function logsOfCommands(db: Db, commandIds: readonly string[], now: number): Promise<Map<string, string>> {
  if (commandIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('log')
    .select(['id', 'command_id'])
    .where('command_id', 'in', commandIds)
    .where('expires_at', '>', now)
    .execute()
  return new Map(rows.map((row) => [row.command_id, row.id]))
}

const readableLogs = (db: Db, agent: { id: string }, now: number) =>
  db
    .selectFrom('log')
    .innerJoin('command', 'command.id', 'log.command_id')
    .select([
      'log.id',
      'log.agent_id',
      'log.command_id',
      'log.name',
      'log.received_at',
      'log.bytes',
      'log.expires_at',
      'command.created_by_name as asked_by',
    ])
    .where('log.agent_id', '=', agent.id)
    .where('log.expires_at', '>', now)

const insert = (trx: Db, agentId: string, { command, name, text }: LogUpload, now: number) =>
  trx
    .insertInto('log')
    .values({
      id: newId(now),
      agent_id: agentId,
      command_id: command,
      name,
      received_at: now,
      bytes: Buffer.byteLength(text),
      expires_at: now + limits.logRetentionDays * dayMs,
      text,
    })
    .execute()

/**
 * Reads the agent's row, and on PostgreSQL locks it until the transaction ends; undefined if the token is no longer
 * valid.
 */
function callerInTransaction(trx: Db, caller: { agentId: string; tokenHash: string }) {
  return trx
    .selectFrom('agent')
    .leftJoin('workspace_product', (join) =>
      join
        .onRef('workspace_product.workspace_id', '=', 'agent.workspace_id')
        .on('workspace_product.product_id', '=', 'svc'),
    )
    .select(['agent.workspace_id', 'workspace_product.activated_at'])
    .where('agent.id', '=', caller.agentId)
    .where('agent.token_hash', '=', caller.tokenHash)
    .$if(isPostgres(trx), (query) => query.forUpdate('agent'))
    .executeTakeFirst()
}
