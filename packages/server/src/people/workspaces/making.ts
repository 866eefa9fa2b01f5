/** Makes workspaces for people: for the first person at the start of a service, and later for admins on the page. */
import type { Verdict } from '@svc/protocol'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { done, refuse } from '../../platform/verdict.ts'
import { decideWithAccounts, type PeopleCtx, type PeopleDeps } from '../accounts/library.ts'
import { isLinkValid, useLink } from '../accounts/links.ts'
import { insertPerson, type Person, type PersonRefusal, prepareNewPerson } from '../accounts/store.ts'
import { type InSession, rightsEverywhere } from './rights.ts'
import {
  activateInTransaction,
  insertWorkspace,
  ownProduct,
  type WorkspaceInfo,
  type WorkspaceRefusal,
} from './store.ts'

/**
 * A person who is an admin of this many workspaces cannot make another one. Otherwise a person could exceed the limits
 * of one workspace by making many.
 */
export const maxOwnWorkspaces = 20

type OwnRefusal = WorkspaceRefusal | 'not_allowed' | 'factor_required' | 'workspaces_too_many'
const needsFactor =
  'The workspaces in which you are an admin require a second factor, and this session has shown none: show it first.'

/** Makes a workspace that is activated for this service, with the acting person as its admin. */
export const createOwnWorkspace = (
  { people, by, now, session = { id: '' } }: PeopleCtx<Person> & { session?: { id: string } },
  wanted: { slug: string; name: string },
): Promise<Verdict<WorkspaceInfo, OwnRefusal>> =>
  decideWithAccounts<WorkspaceInfo, OwnRefusal>(people, async (trx, accounts) => {
    await lockPerson(trx, by)
    const { right, active, all } = await findAdmin(trx, { person: by, session }, now)
    if (active === 0) {
      return refuse('not_allowed', 'Only an admin of an activated workspace may create another one: ask the operator.')
    }
    if (right === 0) return refuse('factor_required', needsFactor)
    if (all >= maxOwnWorkspaces) {
      return refuse('workspaces_too_many', `You are an admin of ${all} workspaces: the operator can create more.`)
    }
    const made = await insertWorkspace({ db: trx, by, now }, accounts, { ...wanted, adminId: by.id })
    if (made.ok) await activateInTransaction({ db: trx, by, now }, made.value, ownProduct)
    return made
  })

/**
 * Locks the person's row, so that two workspaces that the person makes at the same time are both counted. SQLite needs
 * no lock, since it has one writer.
 */
async function lockPerson(trx: Db, { id }: Person): Promise<void> {
  if (isPostgres(trx)) await trx.selectFrom('user').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/**
 * Counts the workspaces in which a person is an admin (`all`), those of them that are activated (`active`), and those
 * of the activated ones in which this session has an admin's rights (`right`). The memberships stay locked until the
 * transaction ends, so that nobody can take the right away before (I33).
 */
async function findAdmin(trx: Db, who: InSession, now: number) {
  const all = (await rightsEverywhere(trx, who, { now, lock: true })).filter(({ held }) => held === 'admin')
  if (all.length === 0) return { right: 0, active: 0, all: 0 }
  const rows = await trx
    .selectFrom('workspace_product')
    .select('workspace_id')
    .where('product_id', '=', ownProduct)
    .where(
      'workspace_id',
      'in',
      all.map(({ workspaceId }) => workspaceId),
    )
    .execute()
  const activated = new Set(rows.map(({ workspace_id }) => workspace_id))
  const active = all.filter(({ workspaceId }) => activated.has(workspaceId))
  return { right: active.filter(({ role }) => role === 'admin').length, active: active.length, all: all.length }
}

interface FirstStart {
  token: string
  name: string
  email: string
  password: string
  workspace: string
  slug: string
}

/**
 * Makes the first person and their workspace with the link that the service printed at its start. Using the link,
 * making the account, and making and activating the workspace happen together or not at all.
 */
export async function firstStart(
  people: PeopleDeps,
  { token, workspace, slug, ...person }: FirstStart,
  now: number,
): Promise<Verdict<Person, 'link_unknown' | PersonRefusal | WorkspaceRefusal>> {
  // Hashing is slow, so the link is checked first: only people with a link may cause it.
  if (!(await isLinkValid(people.store.db, 'first', token, now))) return usedAlready
  const ready = await prepareNewPerson(people, { ...person, workspaces: [workspace, slug] })
  if (!ready.ok) return ready
  return decideWithAccounts<Person, 'link_unknown' | PersonRefusal | WorkspaceRefusal>(
    people,
    async (trx, accounts) => {
      if (!(await useLink(trx, 'first', token, now))) return usedAlready
      const made = await insertPerson({ db: trx, by: 'themselves', now }, accounts, ready.value)
      if (!made.ok) return made
      const by = made.value
      const home = await insertWorkspace({ db: trx, by, now }, accounts, { slug, name: workspace, adminId: by.id })
      if (!home.ok) return home
      await activateInTransaction({ db: trx, by, now }, home.value, ownProduct)
      return done(by)
    },
  )
}

const usedAlready = refuse('link_unknown', 'This link was already used. Sign in, or ask the operator for a link.')
