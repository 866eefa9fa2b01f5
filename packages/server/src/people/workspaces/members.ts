/**
 * Changes the members of a workspace and their roles. These changes never take the last admin away from a workspace;
 * only the operator can do that (people.ts).
 */
import type { Members, Role } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { removePersonalChannels } from '../../deliveries/settling.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { decideWithAccounts, type PeopleCtx, type Trx } from '../accounts/library.ts'
import { audit } from '../audit/store.ts'
import { factorsHeld, hasAnyFactor, type ServiceAddress } from '../factors/held.ts'
import { queueNotice } from '../mails/queue.ts'
import { lockWorkspace } from './lock.ts'
import { asRole, type WorkspaceInfo } from './store.ts'

type WorkspaceMember = Members['members'][number]

/**
 * The members of a workspace. If `forAdmin` is given, `factor` tells who has a second factor at this address of the
 * service. Only admins learn that.
 */
export async function membersOfWorkspace(
  db: Db,
  workspace: { id: string },
  self: { id: string },
  forAdmin?: ServiceAddress,
): Promise<WorkspaceMember[]> {
  const rows = await db
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.userId')
    .leftJoin('email_confirmation', 'email_confirmation.person_id', 'user.id')
    .select(['member.id', 'user.id as person', 'user.name', 'user.email', 'member.role'])
    .select('email_confirmation.at')
    .where('member.workspaceId', '=', workspace.id)
    .orderBy('user.name')
    .orderBy('user.email')
    .execute()
  const held = forAdmin && (await factorsHeld(db, forAdmin, { workspace: workspace.id }))
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    emailConfirmed: row.at !== null,
    role: asRole(row.role),
    self: row.person === self.id,
    factor: held ? hasAnyFactor(held.get(row.person)) : null,
  }))
}

type MemberRefusal = 'member_unknown' | 'last_admin'

export function changeRole(
  { people, by, now }: PeopleCtx,
  workspace: WorkspaceInfo,
  { id, role }: { id: string; role: Role },
): Promise<Verdict<null, MemberRefusal>> {
  return decideWithAccounts<null, MemberRefusal>(people, async (trx, { tables }) => {
    const member = await takeMember(trx, workspace, id)
    if (!member) return unknown
    if (member.role === role) return done(null)
    if (role !== 'admin' && (await isLastAdmin(trx, workspace, id))) return lastAdmin
    await tables.update({ model: 'member', where: [{ field: 'id', value: id }], update: { role } })
    if (role === 'admin')
      await queueNotice(trx, people, { person: member.person, what: 'admin', workspace: workspace.id }, now)
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${member.email}` }
    await audit(trx, { ...note, action: 'member.role_changed', details: { from: member.role, to: role } })
    return done(null)
  })
}

/** Removes a member from a workspace. With `only: 'oneself'` the acting person can remove nobody else. */
export function removeMember(
  { people, by, now }: PeopleCtx,
  workspace: WorkspaceInfo,
  { id, only = 'anybody' }: { id: string; only?: 'anybody' | 'oneself' },
): Promise<Verdict<null, MemberRefusal | 'not_allowed'>> {
  return decideWithAccounts<null, MemberRefusal | 'not_allowed'>(people, async (trx, { tables }) => {
    const member = await takeMember(trx, workspace, id)
    if (!member) return unknown
    if (only === 'oneself' && member.person !== by.id) return notAllowed
    if (await isLastAdmin(trx, workspace, id)) return lastAdmin
    await tables.delete({ model: 'member', where: [{ field: 'id', value: id }] })
    await removePersonalChannels(trx, workspace, member.person)
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${member.email}` }
    await audit(trx, { ...note, action: member.person === by.id ? 'member.left' : 'member.removed' })
    return done(null)
  })
}

/**
 * Locks the row of a member and then the workspace, so that two changes at the same time cannot together remove the
 * last admin. Requests of that member lock the row too (web/routing/acting.ts), so each of them ends before this change
 * or sees its result.
 */
async function takeMember(trx: Trx, workspace: { id: string }, id: string) {
  const row = trx
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.userId')
    .select(['user.id as person', 'user.email', 'member.role'])
    .where('member.id', '=', id)
    .where('member.workspaceId', '=', workspace.id)
  const member = await (isPostgres(trx) ? row.forUpdate('member') : row).executeTakeFirst()
  await lockWorkspace(trx, workspace.id)
  return member && { ...member, role: asRole(member.role) }
}

/** True if the member is an admin, and all other admins are disabled or there are none. */
async function isLastAdmin(trx: Trx, workspace: { id: string }, memberId: string): Promise<boolean> {
  const admins = await trx
    .selectFrom('member')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'member.userId')
    .select(['id', 'disabled_at'])
    .where('workspaceId', '=', workspace.id)
    .where('role', '=', 'admin')
    .execute()
  const isAdmin = admins.some(({ id }) => id === memberId)
  return isAdmin && !admins.some(({ id, disabled_at }) => id !== memberId && disabled_at === null)
}

const unknown = refuse('member_unknown', 'No member of the workspace has that id.')
const notAllowed = refuse('not_allowed', 'Only an admin of the workspace may remove someone else.')
const lastAdmin = refuse('last_admin', 'The workspace needs an admin. Make someone else an admin first.')
