/**
 * The rights of a member in one session. Guards, changes, pages and the list of a person's workspaces all read them
 * here.
 */

import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { memberRightsOf, type RoleInSession } from '../factors/rules.ts'
import { asRole } from './store.ts'

/** A person in one session. */
export interface InSession {
  person: { id: string }
  session: { id: string }
}

/** The rights of a member in one session, with the membership that gives them. */
export interface MemberRights extends RoleInSession {
  /** The id of the membership. */
  membership: string
}

/**
 * The rights of a person in a workspace; undefined if the person is not a member, or is disabled. With `lock` the
 * membership cannot change on PostgreSQL until the transaction ends.
 */
export async function rightsIn(
  db: Db,
  workspace: { id: string },
  { person, session }: InSession,
  { now, lock = false }: { now: number; lock?: boolean },
): Promise<MemberRights | undefined> {
  const row = memberships(db, { person, session }).where('member.workspaceId', '=', workspace.id)
  const held = await (lock && isPostgres(db) ? row.forShare('member') : row).executeTakeFirst()
  if (!held) return undefined
  return { membership: held.id, ...inRow(held, now) }
}

/**
 * The rights of a person in each workspace of which the person is a member, with the stored role (`held`). `lock` has
 * the same effect as in `rightsIn`.
 */
export async function rightsEverywhere(db: Db, who: InSession, { now, lock = false }: { now: number; lock?: boolean }) {
  const rows = memberships(db, who).select('member.workspaceId').orderBy('member.id')
  const all = await (lock && isPostgres(db) ? rows.forShare('member') : rows).execute()
  return all.map((row) => ({ workspaceId: row.workspaceId, held: asRole(row.role), ...inRow(row, now) }))
}

/** The workspaces of which a person is a member, sorted by name, with the person's rights in this session. */
export async function listWorkspacesOf(db: Db, who: InSession, now: number) {
  const rows = await memberships(db, who)
    .innerJoin('workspace', 'workspace.id', 'member.workspaceId')
    .select(['workspace.slug', 'workspace.name'])
    .orderBy('workspace.name')
    .orderBy('workspace.slug')
    .execute()
  return rows.map((row) => ({ slug: row.slug, name: row.name, role: inRow(row, now).role }))
}

const memberships = (db: Db, { person, session }: InSession) =>
  db
    .selectFrom('member')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'member.userId')
    .leftJoin('factor_requirement', 'factor_requirement.workspace_id', 'member.workspaceId')
    .leftJoin('session_proof', (join) => join.on('session_proof.session_id', '=', session.id))
    .select(['member.id', 'member.role', 'factor_requirement.from_at', 'session_proof.factor_at'])
    .where('member.userId', '=', person.id)
    .where('person_disabled.disabled_at', 'is', null)

function inRow(
  { role, from_at, factor_at }: { role: string; from_at: number | null; factor_at: number | null },
  now: number,
): RoleInSession {
  const time = (at: number | null) => (at === null ? null : Number(at))
  return memberRightsOf(asRole(role), { factorFrom: time(from_at), factorAt: time(factor_at) }, now)
}
