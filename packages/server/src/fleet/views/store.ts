/** Views: named filters of the list of agents. They belong to a person in a workspace, or to the workspace. */
import { agents, type FleetColumn, type NewView, type Role, type SavedView } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import type { Selectable } from 'kysely'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { SavedViewTable } from '../../platform/db/tables/views.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { done, refuse } from '../../platform/verdict.ts'

/** The maximum number of views of a person in a workspace, and of the workspace itself. */
export const maxViews = 100

type InWorkspace = Pick<WorkspaceInfo, 'id'>
/** The context of a change, with the rights of the person who makes it. */
type ViewChange = ChangeContext & { role: Role; factorMissing: boolean }
type RightRefusal = 'not_allowed' | 'factor_required'

/** The views of the workspace and then those of a person there, each sorted by name. The operator has no own views. */
export async function readViews(db: Db, workspace: InWorkspace, person: { id: string | null }): Promise<SavedView[]> {
  const rows = await db
    .selectFrom('saved_view')
    .leftJoin('member', 'member.id', 'saved_view.member_id')
    .selectAll('saved_view')
    .where('saved_view.workspace_id', '=', workspace.id)
    .where((eb) => eb.or([eb('member_id', 'is', null), eb('member.userId', '=', person.id ?? '')]))
    .execute()
  return rows.map(viewOf).sort((a, b) => Number(b.shared) - Number(a.shared) || compare(a.name, b.name))
}

/** Compares names in the order of the alphabet. Names that differ only in case have a fixed order, too. */
const compare = (a: string, b: string): number => a.localeCompare(b, 'en') || (a < b ? -1 : 1)

/** A view as people see it. An order or a column that this version does not know is left out. */
const viewOf = ({ id, member_id, name, q, sort, columns }: Selectable<SavedViewTable>): SavedView => ({
  id,
  name,
  shared: member_id === null,
  q,
  sort: agents.fleetOrders.find((one) => one === sort) ?? null,
  columns: columns === null ? null : knownColumns(JSON.parse(columns) as string[]),
})
const knownColumns = (names: readonly string[]): FleetColumn[] =>
  names.flatMap((name) => agents.fleetColumns.find((one) => one === name) ?? [])

/**
 * Saves a view. With `replaces`, it replaces the owner's view with that id and may rename it. Otherwise it replaces the
 * owner's view of the same name, if there is one.
 */
export const setView = (
  { db, by, now, ...rights }: ViewChange,
  workspace: InWorkspace,
  wanted: NewView,
): Promise<
  Verdict<{ view: SavedView; made: boolean }, RightRefusal | 'view_unknown' | 'view_taken' | 'views_too_many'>
> =>
  transaction(db, async (trx) => {
    const wrong = wanted.shared ? noAdmin(rights) : undefined
    if (wrong) return wrong
    // Without the lock, two requests at the same time could exceed the limit, or make two views of one name.
    await lockWorkspace(trx, workspace.id)
    const member = wanted.shared ? null : await findMemberId(trx, workspace, by)
    if (member === undefined)
      return refuse('not_allowed', 'Only a member of the workspace can have views of their own.')
    const there = await trx
      .selectFrom('saved_view')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where('member_id', member === null ? 'is' : '=', member)
      .execute()
    const { name, q, sort, columns, replaces } = wanted
    const namesake = there.find((one) => one.name === name)
    const before = replaces === undefined ? namesake : there.find(({ id }) => id === replaces)
    if (replaces !== undefined && !before) return unknown
    if (namesake && namesake !== before)
      return refuse('view_taken', `There is a view ${shown(name)} already. Choose another name, or remove that view.`)
    const row: Selectable<SavedViewTable> = {
      id: before?.id ?? newId(now),
      workspace_id: workspace.id,
      member_id: member,
      name,
      q,
      sort,
      columns: columns === null ? null : JSON.stringify(columns),
    }
    if (!before) {
      if (there.length >= maxViews) return tooMany(wanted.shared)
      await trx.insertInto('saved_view').values(row).execute()
    } else if (isSame(before, row)) return done({ view: viewOf(row), made: false })
    else await trx.updateTable('saved_view').set(row).where('id', '=', row.id).execute()
    if (wanted.shared) await note({ db: trx, by, now }, workspace, wasNamed(before?.name, wanted))
    return done({ view: viewOf(row), made: !before })
  })

const isSame = (a: Selectable<SavedViewTable>, b: Selectable<SavedViewTable>): boolean =>
  a.name === b.name && a.q === b.q && a.sort === b.sort && a.columns === b.columns

/** Makes the line of the activity about a saved view. `from` is its name before the change. */
const wasNamed = (from: string | undefined, { name, q }: NewView): ViewLine =>
  from === undefined || from === name
    ? { action: 'view.saved', name, details: { q } }
    : { action: 'view.renamed', name, details: { from, q } }

const unknown = refuse('view_unknown', 'There is no such view, or it belongs to somebody else.')

const tooMany = (shared: boolean) =>
  refuse(
    'views_too_many',
    shared
      ? `The workspace has ${maxViews} views. Remove one, and save again.`
      : `You have ${maxViews} views in this workspace. Remove one, and save again.`,
  )

/** Removes a view of the workspace, or one of the person who asks. Views of others are not found. */
export const removeView = (
  { db, by, now, ...rights }: ViewChange,
  workspace: InWorkspace,
  id: string,
): Promise<Verdict<{ ok: true }, RightRefusal | 'view_unknown'>> =>
  transaction(db, async (trx) => {
    const view = (await readViews(trx, workspace, by)).find((one) => one.id === id)
    if (!view) return unknown
    const wrong = view.shared ? noAdmin(rights) : undefined
    if (wrong) return wrong
    await trx.deleteFrom('saved_view').where('id', '=', id).execute()
    const { name, q, shared } = view
    if (shared) await note({ db: trx, by, now }, workspace, { action: 'view.removed', name, details: { q } })
    return done({ ok: true })
  })

/** Finds a view of the workspace by its name. The refusal names the existing views. */
export async function sharedView(
  db: Db,
  workspace: InWorkspace,
  name: string,
): Promise<Verdict<SavedView, 'view_unknown'>> {
  const all = await readViews(db, workspace, { id: null })
  const view = all.find((one) => one.name === name)
  if (view) return done(view)
  const names = all.map((one) => shown(one.name)).join(', ')
  return refuse(
    'view_unknown',
    `The workspace has no view ${shown(name)}. ${names === '' ? 'It has none.' : `It has ${names}.`}`,
  )
}

/** The refusal for people who may not change views of the workspace; undefined for admins. */
function noAdmin({ role, factorMissing }: Pick<ViewChange, 'role' | 'factorMissing'>) {
  if (role === 'admin') return undefined
  return factorMissing
    ? refuse('factor_required', 'Views of the workspace are for admins, who need a second factor here. Show one first.')
    : refuse('not_allowed', 'Only an admin of the workspace may change its views. Save one for yourself.')
}

async function findMemberId(db: Db, workspace: InWorkspace, { id }: Actor): Promise<string | undefined> {
  if (id === null) return undefined
  const row = db.selectFrom('member').select('id').where('workspaceId', '=', workspace.id).where('userId', '=', id)
  return (await row.executeTakeFirst())?.id
}

interface ViewLine {
  action: string
  name: string
  details: { q: string; from?: string }
}
const note = ({ db, by, now }: ChangeContext, { id }: InWorkspace, { action, name, details }: ViewLine) =>
  audit(db, { workspaceId: id, at: now, by, action, subject: `view ${name}`, details })
