/**
 * Invitations that are open, of people and of the operator, and their links. A link is signed, so that somebody who can
 * read the table still cannot join.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Role } from '@svc/api'
import { isAhead } from '@svc/protocol'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { refuse } from '../../platform/verdict.ts'
import { type Auth, invitationMs } from '../accounts/auth.ts'
import type { Accounts, Trx } from '../accounts/library.ts'
import { hasOperatorInvitation, operatorInvitation, operatorsName } from './operator-invitations.ts'
import { asRole } from './store.ts'

/** A row of the table in which the accounts library stores invitations. */
export interface Invitation {
  id: string
  organizationId: string
  email: string
  role: string
  status: string
  expiresAt: Date
  inviterId: string
}
/** The name of the table of invitations in the accounts library. */
export const invitationModel = 'invitation'

interface OpenInvitation {
  workspaceId: string
  email: string
  role: Role
  invitedBy: string
}

/** Finds an invitation that can be accepted, of a person or of the operator. */
export async function openInvitation(
  db: Db,
  tables: Pick<Accounts['tables'], 'findOne'>,
  id: string,
  now: number,
): Promise<OpenInvitation | undefined> {
  const operatorsInvitation = await operatorInvitation(db, id, now)
  if (operatorsInvitation) return { ...operatorsInvitation, invitedBy: operatorsName }
  const row = await tables.findOne<Invitation>({ model: invitationModel, where: [{ field: 'id', value: id }] })
  if (!row || !isOpen(row, now) || !(await isGood(db, row))) return undefined
  const names = await inviterNames(db, [row])
  const { organizationId: workspaceId, email } = row
  return { workspaceId, email, role: asRole(row.role), invitedBy: names.get(row.inviterId) ?? 'somebody' }
}

/** True if somebody invited this address, as it is stored, to a workspace, and the invitation can be accepted. */
export async function isInvited(db: Db, email: string, now: number): Promise<boolean> {
  if (await hasOperatorInvitation(db, email, now)) return true
  const rows = await db
    .selectFrom('invitation')
    .select(['workspaceId as organizationId', 'inviterId', 'role'])
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .where(isAheadSql('expiresAt', now, invitationMs, 'date'))
    .execute()
  for (const row of rows) if (await isGood(db, { ...row, role: row.role ?? '' })) return true
  return false
}

/**
 * Marks an invitation as used and returns it; undefined if it can no longer be used. If two people accept it at the
 * same time, only one of them succeeds.
 */
export async function takeInvitation(
  trx: Trx,
  { tables }: Accounts,
  id: string,
  now: number,
): Promise<{ workspaceId: string; role: Role } | undefined> {
  const where = [
    { field: 'id', value: id },
    { field: 'status', value: 'pending' },
  ]
  const row = await tables.findOne<Invitation>({ model: invitationModel, where })
  if (!row || !isOpen(row, now) || !(await isGood(trx, row))) return undefined
  const taken = await tables.updateMany({ model: invitationModel, where, update: { status: 'accepted' } })
  return taken === 1 ? { workspaceId: row.organizationId, role: asRole(row.role) } : undefined
}

/**
 * True if the person who made the invitation may still make it. The invitation is void while that person is not a
 * member of the workspace, is disabled, or has a lower role than the invitation grants. In a PostgreSQL transaction the
 * person's membership is locked until the transaction ends.
 */
async function isGood(
  db: Db,
  { organizationId, inviterId, role }: Pick<Invitation, 'organizationId' | 'inviterId' | 'role'>,
): Promise<boolean> {
  const row = db
    .selectFrom('member')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'member.userId')
    .select('role')
    .where('workspaceId', '=', organizationId)
    .where('userId', '=', inviterId)
    .where('disabled_at', 'is', null)
  const inviter = await (isPostgres(db) && db.isTransaction ? row.forShare('member') : row).executeTakeFirst()
  return mayInvite(inviter?.role ?? null, role)
}

/**
 * True if a member with the role `inviter` may invite somebody to `role`; null means that the person is not a member.
 */
export const mayInvite = (inviter: string | null, role: string): boolean =>
  inviter !== null && (asRole(inviter) === 'admin' || asRole(role) === 'member')

const isOpen = ({ status, expiresAt }: Invitation, now: number): boolean =>
  status === 'pending' && isAhead(new Date(expiresAt).getTime(), now, invitationMs)

/** The names of the people who made these invitations, by id. */
export async function inviterNames(
  db: Db,
  rows: readonly Pick<Invitation, 'inviterId'>[],
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ inviterId }) => inviterId)
  const people = await db.selectFrom('user').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(people.map(({ id, name }) => [id, name]))
}

export const invitationUrl = ({ auth, config }: { auth: Auth; config: { baseUrl: string } }, id: string): string =>
  `${config.baseUrl}/invitation/${id}.${invitationSignature(auth, id)}`

export const invitationSignature = (auth: Auth, id: string): string =>
  createHmac('sha256', auth.options.secret).update(`invitation ${id}`).digest('base64url')

/** The id of the invitation that a link names; undefined if this service has not signed the link. */
export function invitationIdOf(auth: Auth, link: string): string | undefined {
  const [id = '', signature = ''] = link.split('.')
  const right = Buffer.from(invitationSignature(auth, id))
  const given = Buffer.from(signature)
  return right.length === given.length && timingSafeEqual(right, given) ? id : undefined
}

export const unknownInvitation = refuse(
  'invitation_unknown',
  'This invitation was revoked or used, has expired, or came from someone who may no longer invite people. Ask for a new one.',
)
