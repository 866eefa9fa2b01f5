/** The commands that the service keeps (3.2): made by a person, claimed by a report, settled by an ack or a timeout. */
import {
  type CommandBody,
  checkValues,
  isRepetition,
  keptReport,
  type OfferedFacts,
  offerOf,
  type Report,
  type Verdict,
  whyNotOffered,
} from '@svc/protocol'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { CommandRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { refuse, unknownAgent } from '../../platform/verdict.ts'
import { declaredLogs, declaredManifest } from '../versions/declared.ts'
import { lockAgent } from './lock.ts'
import { noteSharedCommands } from './outcomes.ts'
import { commandBodyOf, commandRow } from './row.ts'

/** The maximum number of pending commands of one agent. More of them are a mistake of the sender. */
export const maxPendingCommands = 100
/** The message that refuses a command if the agent has as many pending commands as it may have. */
export const tooManyPending = `The agent has ${maxPendingCommands} commands in progress: wait until it answers.`

type QueueRefusal = 'agent_unknown' | 'command_not_offered' | 'commands_too_many'
type QueueVerdict = Verdict<{ command: CommandRow; made: boolean }, QueueRefusal>

/**
 * Queues a command for this agent if its last report offers the command (2.7), in one transaction with its line in the
 * audit trail. If the same command is already pending, returns the pending one with `made` false (D5).
 */
export function sendCommand(
  { db, by, now }: ChangeContext,
  agent: { id: string },
  body: CommandBody,
): Promise<QueueVerdict> {
  return transaction(db, (trx) => queueInTransaction({ db: trx, by, now }, agent, body))
}

type AgainRefusal = QueueRefusal | 'command_unknown' | 'command_under_way'

/** Queues a new command with the content of a command that has ended (3.2). */
export function sendAgain(
  { db, by, now }: ChangeContext,
  agent: { id: string },
  id: string,
): Promise<Verdict<{ command: CommandRow; made: boolean }, AgainRefusal>> {
  return transaction(db, async (trx) => {
    const earlier = await findCommand(trx, agent, id)
    if (!earlier) return refuse('command_unknown', 'There is no such command.')
    if (isCommandPending(earlier, now)) {
      return refuse('command_under_way', 'The command is still in progress: it can be sent again when it has ended.')
    }
    return queueInTransaction({ db: trx, by, now }, agent, commandBodyOf(earlier))
  })
}

/** One page of the list of an agent's commands, newest first. */
export async function listCommands(
  db: Db,
  agent: { id: string },
  page: { offset?: number; limit?: number } = {},
): Promise<{ total: number; rows: CommandRow[] }> {
  const ofAgent = db.selectFrom('command').where('agent_id', '=', agent.id)
  const { total } = await ofAgent.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await ofAgent
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(page.offset ?? 0)
    .limit(page.limit ?? 50)
    .execute()
  return { total: Number(total), rows }
}

/** The pending commands of an agent, oldest first. */
export async function pendingCommands(db: Db, agent: { id: string }, now: number): Promise<CommandRow[]> {
  const rows = await db
    .selectFrom('command')
    .selectAll()
    .where('agent_id', '=', agent.id)
    .where('due_at', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.filter((row) => isCommandPending(row, now))
}

export const findCommand = (db: Db, agent: { id: string }, id: string): Promise<CommandRow | undefined> =>
  db.selectFrom('command').selectAll().where('id', '=', id).where('agent_id', '=', agent.id).executeTakeFirst()

/**
 * The names of the agent's logs that can be requested: those of the last report, of the kept runs and of the manifest
 * (2.7).
 */
export async function readLogNames(db: Db, agent: { id: string }): Promise<ReadonlySet<string>> {
  return (await offerNow(db, agent)).logs
}

async function queueInTransaction(
  { db: trx, by, now }: ChangeContext,
  agent: { id: string },
  body: CommandBody,
): Promise<QueueVerdict> {
  const owner = await lockAgent(trx, agent.id)
  if (!owner) return unknownAgent
  const offer = await offerNow(trx, agent)
  const why = whyNotOffered(body, offer)
  if (why !== undefined) return refuse('command_not_offered', why)
  const open = await pendingCommands(trx, agent, now)
  const same = open.find((row) => isRepetition(body, commandBodyOf(row)))
  if (same) {
    await noteSharedCommands(trx, [same.id])
    return { ok: true, value: { command: same, made: false } }
  }
  if (open.length >= maxPendingCommands) return refuse('commands_too_many', tooManyPending)
  const command = commandRow(agent.id, storedBody(body, offer), { by, now })
  await trx.insertInto('command').values(command).execute()
  await audit(trx, {
    workspaceId: owner.workspace_id,
    at: now,
    by,
    action: 'command.sent',
    subject: `agent ${owner.name}`,
    details: { command: command.id, type: command.type, payload: JSON.parse(command.payload) },
  })
  return { ok: true, value: { command, made: true } }
}

/**
 * Returns the command as it is stored. For a command of type `set`, the values are stored in the form that
 * `checkValues` returns.
 */
export function storedBody(body: CommandBody, offer: OfferedFacts): CommandBody {
  if (body.type !== 'set') return body
  const verdict = checkValues(offer.settings?.schema ?? [], body.payload)
  return verdict.ok ? { type: 'set', payload: verdict.value } : body
}

async function offerNow(db: Db, agent: { id: string }): Promise<OfferedFacts> {
  const last = await db.selectFrom('agent_report').select('body').where('agent_id', '=', agent.id).executeTakeFirst()
  const names = await db
    .selectFrom('run')
    .select('log')
    .distinct()
    .where('agent_id', '=', agent.id)
    .where('log', 'is not', null)
    .execute()
  const report: Pick<Report, 'controls' | 'settings' | 'active'> = last ? keptReport(last.body) : {}
  return offerOf(
    { protocol: 1, ...report },
    names.flatMap(({ log }) => (log === null ? [] : [log])),
    declaredLogs(await declaredManifest(db, agent)),
  )
}

/**
 * True while the command can still be delivered, or answered in time. An overdue command counts as finished even before
 * it is marked as such.
 */
export const isCommandPending = (row: CommandRow, now: number): boolean =>
  (row.state === 'queued' || row.state === 'delivered') && row.due_at !== null && row.due_at > now

/**
 * Expires the queued commands after the database lost recent changes. The lost changes may include deliveries, and a
 * command is delivered at most once (D1).
 */
export async function expireAfterLoss(trx: Db, now: number): Promise<void> {
  const message = 'The database lost changes, so it is not known whether this command was delivered.'
  await trx
    .updateTable('command')
    .set({ state: 'expired', failed_at: now, due_at: null, message })
    .where('state', '=', 'queued')
    .where('due_at', 'is not', null)
    .execute()
}
