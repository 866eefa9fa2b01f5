/**
 * Stores workspaces, their members, and the products for which they are activated (section 5 of the contract, rule 4).
 */
import type { Role } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { type Accounts, decideWithAccounts, type PeopleCtx, type Trx } from '../accounts/library.ts'
import { findNamed, storedName, unknownPerson, wrongName } from '../accounts/store.ts'
import type { Actor, ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { queueNotice } from '../mails/queue.ts'
import { checkRoomFor } from './limits.ts'
import { lockWorkspace } from './lock.ts'

/** The id by which this service itself is named among the products for which a workspace can be activated. */
export const ownProduct = 'svc'

/** A workspace by its id, short name and name. */
export interface WorkspaceInfo {
  id: string
  slug: string
  name: string
}

/**
 * True if a text can be the short name of a workspace in addresses: 2 to 48 lowercase letters, digits and single
 * hyphens.
 */
const isSlug = (text: string): boolean => text.length >= 2 && text.length <= 48 && /^[a-z0-9](-?[a-z0-9])*$/.test(text)

export type WorkspaceRefusal = 'slug_invalid' | 'slug_taken' | 'name_invalid'

/** Makes a workspace that is not activated for any product. The person `adminId`, if given, becomes its first admin. */
export function createWorkspace(
  { people, by, now }: PeopleCtx,
  workspace: { slug: string; name: string; adminId?: string },
): Promise<Verdict<WorkspaceInfo, WorkspaceRefusal>> {
  return decideWithAccounts(people, (trx, accounts) => insertWorkspace({ db: trx, by, now }, accounts, workspace))
}

export async function insertWorkspace(
  { db: trx, by, now }: ChangeContext<Actor, Trx>,
  { tables }: Accounts,
  { slug, name, adminId }: { slug: string; name: string; adminId?: string },
): Promise<Verdict<WorkspaceInfo, WorkspaceRefusal>> {
  const wrong = wrongSlug(slug) ?? wrongName(name)
  if (wrong) return wrong
  if (await findWorkspace(trx, slug)) return refuse('slug_taken', `There is already a workspace ${shown(slug)}.`)
  const createdAt = new Date(now)
  const data = { slug, name: storedName(name), createdAt }
  const { id } = await tables.create<typeof data, { id: string }>({ model: 'organization', data })
  const note = { workspaceId: id, at: now, by }
  await audit(trx, { ...note, action: 'workspace.created', subject: `workspace ${slug}` })
  if (adminId !== undefined) {
    await tables.create({ model: 'member', data: { organizationId: id, userId: adminId, role: 'admin', createdAt } })
  }
  return done({ id, slug, name: data.name })
}

/** Finds a workspace by its short name. The short name of a deleted workspace contains a slash, and is never found. */
export const findWorkspace = async (db: Db, slug: string): Promise<WorkspaceInfo | undefined> =>
  slug.includes('/')
    ? undefined
    : db.selectFrom('workspace').select(['id', 'slug', 'name']).where('slug', '=', slug).executeTakeFirst()

export const workspaceOfId = (db: Db, id: string | undefined): Promise<WorkspaceInfo | undefined> =>
  db
    .selectFrom('workspace')
    .select(['id', 'slug', 'name'])
    .where('id', '=', id ?? '')
    .executeTakeFirst()

/**
 * All workspaces that are not deleted, each with the number of its members and agents, and the products for which it is
 * activated.
 */
export async function listWorkspaces(db: Db) {
  const rows = await db
    .selectFrom('workspace')
    .select((eb) => [
      'id',
      'slug',
      'name',
      eb
        .selectFrom('member')
        .select((e) => e.fn.countAll<number>().as('n'))
        .whereRef('member.workspaceId', '=', 'workspace.id')
        .as('members'),
      eb
        .selectFrom('agent')
        .select((e) => e.fn.countAll<number>().as('n'))
        .whereRef('agent.workspace_id', '=', 'workspace.id')
        .as('agents'),
    ])
    .where('id', 'not in', db.selectFrom('workspace_deleted').select('workspace_id'))
    .orderBy('slug')
    .execute()
  const active = await db.selectFrom('workspace_product').select(['workspace_id', 'product_id']).execute()
  return rows.map(({ id, slug, name, members, agents }) => ({
    id,
    slug,
    name,
    members: Number(members),
    agents: Number(agents),
    products: active.filter((a) => a.workspace_id === id).map((a) => a.product_id),
  }))
}

export const isActivated = async (db: Db, workspaceId: string, product: string = ownProduct): Promise<boolean> =>
  (await db
    .selectFrom('workspace_product')
    .select('activated_at')
    .where('workspace_id', '=', workspaceId)
    .where('product_id', '=', product)
    .executeTakeFirst()) !== undefined

type ActivateRefusal = 'workspace_unknown' | 'product_unknown'

/**
 * Activates a workspace for a product; the product `svc` is this service itself. A workspace that is activated already
 * does not change.
 */
export function activate(
  { db, by, now }: ChangeContext,
  slug: string,
  product: string,
): Promise<Verdict<WorkspaceInfo, ActivateRefusal>> {
  return transaction(db, async (trx) => {
    const workspace = await findWorkspace(trx, slug)
    if (!workspace) return unknownWorkspace(slug)
    if (!(await productExists(trx, product))) {
      return refuse('product_unknown', `There is no product ${shown(product)}; this service itself is "${ownProduct}".`)
    }
    await activateInTransaction({ db: trx, by, now }, workspace, product)
    return done(workspace)
  })
}

export async function activateInTransaction(
  { db: trx, by, now }: ChangeContext,
  workspace: WorkspaceInfo,
  product: string,
) {
  const made = await trx
    .insertInto('workspace_product')
    .values({ workspace_id: workspace.id, product_id: product, activated_at: now })
    .onConflict((oc) => oc.columns(['workspace_id', 'product_id']).doNothing())
    .returning('product_id')
    .executeTakeFirst()
  const note = { workspaceId: workspace.id, at: now, by, subject: `workspace ${workspace.slug}` }
  if (made) await audit(trx, { ...note, action: 'workspace.activated', details: { product } })
}

/**
 * Ends the activation of a workspace for a product. If the product is `svc`, the workspace's agents get 403 from their
 * next report on, and their reports are not stored (D56).
 */
export function deactivate(
  { db, by, now }: ChangeContext,
  slug: string,
  product: string,
): Promise<Verdict<WorkspaceInfo, ActivateRefusal>> {
  return transaction(db, async (trx) => {
    const workspace = await findWorkspace(trx, slug)
    if (!workspace) return unknownWorkspace(slug)
    const deleted = await trx
      .deleteFrom('workspace_product')
      .where('workspace_id', '=', workspace.id)
      .where('product_id', '=', product)
      .returning('product_id')
      .executeTakeFirst()
    if (!deleted) return refuse('product_unknown', `The workspace is not activated for ${shown(product)}.`)
    const note = { workspaceId: workspace.id, at: now, by, subject: `workspace ${slug}` }
    await audit(trx, { ...note, action: 'workspace.deactivated', details: { product } })
    return done(workspace)
  })
}

export function renameWorkspace(
  { people, by, now }: PeopleCtx,
  workspace: WorkspaceInfo,
  name: string,
): Promise<Verdict<WorkspaceInfo, 'name_invalid'>> {
  return decideWithAccounts(people, async (trx, { tables }) => {
    const wrong = wrongName(name)
    if (wrong) return wrong
    const renamed = { ...workspace, name: storedName(name) }
    const where = [{ field: 'id', value: workspace.id }]
    await tables.update({ model: 'organization', where, update: { name: renamed.name } })
    await audit(trx, {
      workspaceId: workspace.id,
      at: now,
      by,
      action: 'workspace.renamed',
      subject: `workspace ${workspace.slug}`,
      details: { from: workspace.name, to: renamed.name },
    })
    return done(renamed)
  })
}

/** Adds a person who already has an account to a workspace. */
export function addMember(
  { people, by, now }: PeopleCtx,
  { slug, email, role }: { slug: string; email: string; role: Role },
): Promise<Verdict<{ workspace: WorkspaceInfo; email: string }, AddMemberRefusal>> {
  return decideWithAccounts<{ workspace: WorkspaceInfo; email: string }, AddMemberRefusal>(
    people,
    async (trx, accounts) => {
      const workspace = await findWorkspace(trx, slug)
      if (!workspace) return unknownWorkspace(slug)
      const person = await findNamed(trx, email)
      if (!person) return unknownPerson(email)
      const room = await checkRoomFor(trx, workspace, { kind: 'people' }, now)
      const added = await insertMember(trx, accounts, { workspace, person, role, by, now })
      if (!added.ok) return added
      if (role === 'admin')
        await queueNotice(trx, people, { person: person.id, what: 'admin', workspace: workspace.id }, now)
      return room.ok ? done({ workspace, email: person.email }) : room
    },
  )
}

type AddMemberRefusal = 'workspace_unknown' | 'person_unknown' | 'member_already' | 'people_too_many'

interface NewMember {
  workspace: WorkspaceInfo
  person: { id: string; email: string }
  role: Role
  by: Actor
  now: number
}

export async function insertMember(
  trx: Trx,
  { tables }: Accounts,
  { workspace, person, role, by, now }: NewMember,
): Promise<Verdict<null, 'member_already'>> {
  await lockWorkspace(trx, workspace.id)
  if (await findRole(trx, workspace.id, person.id)) {
    return refuse('member_already', `${person.email} is already a member of the workspace.`)
  }
  const data = { organizationId: workspace.id, userId: person.id, role, createdAt: new Date(now) }
  await tables.create({ model: 'member', data })
  const note = { workspaceId: workspace.id, at: now, by, subject: `person ${person.email}` }
  await audit(trx, { ...note, action: 'member.added', details: { role } })
  return done(null)
}

/** The role that a person has as a member, even if the person is disabled. */
export async function findRole(db: Db, workspaceId: string, personId: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom('member')
    .select('role')
    .where('workspaceId', '=', workspaceId)
    .where('userId', '=', personId)
    .executeTakeFirst()
  return row && asRole(row.role)
}

/**
 * The role with which a person may act in a workspace: the role as a member, but undefined while the person is
 * disabled.
 */
export async function roleToAct(db: Db, workspaceId: string, personId: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom('member')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'member.userId')
    .select('role')
    .where('workspaceId', '=', workspaceId)
    .where('userId', '=', personId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return row && asRole(row.role)
}

/** Converts a role that the accounts library stores as text; any text other than `admin` means member. */
export const asRole = (role: string): Role => (role === 'admin' ? 'admin' : 'member')

export const unknownWorkspace = (slug: string) => refuse('workspace_unknown', `There is no workspace ${shown(slug)}.`)

const productExists = async (db: Db, id: string): Promise<boolean> =>
  id === ownProduct ||
  (await db.selectFrom('product').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

function wrongSlug(slug: string) {
  if (isSlug(slug)) return undefined
  return refuse(
    'slug_invalid',
    `A workspace's short name must have 2 to 48 lowercase letters, digits or single hyphens: got ${shown(slug)}.`,
  )
}
