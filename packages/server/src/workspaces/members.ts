/** Who belongs to a workspace, and as what. A workspace always has an admin. */
import type { Verdict } from '@svc/protocol'
import type { Me, Members, Role } from '../api.ts'
import { audit } from '../audit/store.ts'
import type { By } from '../commands/store.ts'
import type { Db } from '../db/open.ts'
import { decide, done, type People, refuse, type Trx } from '../people/library.ts'
import type { Person } from '../people/store.ts'
import { lockWorkspace } from './lock.ts'
import { asRole, type WorkspaceInfo } from './store.ts'

export type Member = Members['members'][number]

/** The workspaces of a person, by name. */
export async function workspacesOf(db: Db, personId: string): Promise<Me['workspaces']> {
  const rows = await db
    .selectFrom('member')
    .innerJoin('workspace', 'workspace.id', 'member.workspaceId')
    .select(['workspace.slug', 'workspace.name', 'member.role'])
    .where('member.userId', '=', personId)
    .orderBy('workspace.name')
    .orderBy('workspace.slug')
    .execute()
  return rows.map(({ slug, name, role }) => ({ slug, name, role: asRole(role) }))
}

export async function membersOf(db: Db, workspace: { id: string }, self: Person): Promise<Member[]> {
  const rows = await db
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.userId')
    .select(['member.id', 'user.id as person', 'user.name', 'user.email', 'member.role'])
    .where('member.workspaceId', '=', workspace.id)
    .orderBy('user.name')
    .orderBy('user.email')
    .execute()
  return rows.map(({ id, person, name, email, role }) => ({
    id,
    name,
    email,
    role: asRole(role),
    self: person === self.id,
  }))
}

type MemberRefusal = 'member_unknown' | 'last_admin'

export function changeRole(
  people: People,
  workspace: WorkspaceInfo,
  memberId: string,
  role: Role,
  by: By,
  now: number,
): Promise<Verdict<null, MemberRefusal>> {
  return decide<null, MemberRefusal>(people, async (trx, { tables }) => {
    await lockWorkspace(trx, workspace.id)
    const member = await memberIn(trx, workspace, memberId)
    if (!member) return unknown
    if (member.role === role) return done(null)
    if (role !== 'admin' && (await isLastAdmin(trx, workspace, memberId))) return lastAdmin
    await tables.update({ model: 'member', where: [{ field: 'id', value: memberId }], update: { role } })
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${member.email}` }
    await audit(trx, { ...note, action: 'member.role_changed', details: { from: member.role, to: role } })
    return done(null)
  })
}

/** Takes somebody out, or oneself. */
export function removeMember(
  people: People,
  workspace: WorkspaceInfo,
  memberId: string,
  by: By,
  now: number,
): Promise<Verdict<null, MemberRefusal>> {
  return decide<null, MemberRefusal>(people, async (trx, { tables }) => {
    await lockWorkspace(trx, workspace.id)
    const member = await memberIn(trx, workspace, memberId)
    if (!member) return unknown
    if (await isLastAdmin(trx, workspace, memberId)) return lastAdmin
    await tables.delete({ model: 'member', where: [{ field: 'id', value: memberId }] })
    const note = { workspaceId: workspace.id, at: now, by, subject: `person ${member.email}` }
    await audit(trx, { ...note, action: member.person === by.id ? 'member.left' : 'member.removed' })
    return done(null)
  })
}

const memberIn = async (trx: Trx, workspace: { id: string }, id: string) => {
  const row = await trx
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.userId')
    .select(['user.id as person', 'user.email', 'member.role'])
    .where('member.id', '=', id)
    .where('member.workspaceId', '=', workspace.id)
    .executeTakeFirst()
  return row && { ...row, role: asRole(row.role) }
}

async function isLastAdmin(trx: Trx, workspace: { id: string }, memberId: string): Promise<boolean> {
  const admins = await trx
    .selectFrom('member')
    .select('id')
    .where('workspaceId', '=', workspace.id)
    .where('role', '=', 'admin')
    .execute()
  return admins.length === 1 && admins[0]?.id === memberId
}

const unknown = refuse('member_unknown', 'Nobody of that id belongs to the workspace.')
const lastAdmin = refuse('last_admin', 'The workspace needs an admin: make somebody else one first.')
