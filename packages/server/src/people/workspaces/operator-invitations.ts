/**
 * Invitations that the operator made, as rows. An invitation of the accounts library is valid only while the person who
 * made it may invite people; an invitation of the operator does not depend on a member of the workspace.
 */
import type { Role } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { newId } from '../../platform/ids.ts'
import { invitationMs } from '../accounts/auth.ts'
import { asRole } from './store.ts'

interface OperatorInvitation {
  id: string
  workspaceId: string
  email: string
  role: Role
  expiresAt: number
}

/** The name that pages show as the inviter of an invitation that the operator made. */
export const operatorsName = 'Operator of this service'

/** Stores an invitation and returns its id. Deletes the operator's expired invitations to the workspace. */
export async function insertOperatorInvitation(
  trx: Db,
  { workspaceId, email, role }: Pick<OperatorInvitation, 'workspaceId' | 'email' | 'role'>,
  now: number,
): Promise<string> {
  await trx
    .deleteFrom('operator_invitation')
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '<=', now)
    .execute()
  const row = { id: newId(now), workspace_id: workspaceId, email, role, expires_at: now + invitationMs }
  await trx.insertInto('operator_invitation').values(row).execute()
  return row.id
}

export async function listOperatorInvitations(
  db: Db,
  workspace: { id: string },
  now: number,
): Promise<OperatorInvitation[]> {
  return (await open(db, now).where('workspace_id', '=', workspace.id).execute()).map(read)
}

export async function operatorInvitation(db: Db, id: string, now: number): Promise<OperatorInvitation | undefined> {
  const row = await open(db, now).where('id', '=', id).executeTakeFirst()
  return row && read(row)
}

/** True if an invitation of the operator for this address is valid. `email` is written as addresses are stored. */
export const hasOperatorInvitation = async (db: Db, email: string, now: number): Promise<boolean> =>
  (await open(db, now).where('email', '=', email).executeTakeFirst()) !== undefined

/** Uses an invitation up in one statement, so that only one of two people who accept it at the same time succeeds. */
export async function takeOperatorInvitation(
  trx: Db,
  id: string,
  now: number,
): Promise<OperatorInvitation | undefined> {
  const row = await trx
    .deleteFrom('operator_invitation')
    .where('id', '=', id)
    .where(isAheadSql('expires_at', now, invitationMs))
    .returningAll()
    .executeTakeFirst()
  return row && read(row)
}

/** Deletes the operator's invitations of an address to a workspace, before another invitation replaces them. */
export async function replaceOperatorInvitations(trx: Db, { id }: { id: string }, email: string): Promise<void> {
  await trx.deleteFrom('operator_invitation').where('workspace_id', '=', id).where('email', '=', email).execute()
}

const open = (db: Db, now: number) =>
  db
    .selectFrom('operator_invitation')
    .selectAll()
    .where(isAheadSql('expires_at', now, invitationMs))

const read = (row: {
  id: string
  workspace_id: string
  email: string
  role: string
  expires_at: number
}): OperatorInvitation => ({
  id: row.id,
  workspaceId: row.workspace_id,
  email: row.email,
  role: asRole(row.role),
  expiresAt: Number(row.expires_at),
})
