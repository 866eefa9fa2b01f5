/**
 * What people change (I33): a session, and where a workspace is concerned its membership, is judged in the transaction that
 * writes. A removal, a demotion or a sign-out that was confirmed before therefore leaves a request in flight no way to write.
 */
import type { Role } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { isPostgres } from '../../db/engine.ts'
import { transaction, type Writer } from '../../db/transaction.ts'
import type { People, Trx } from '../../people/library.ts'
import type { Person } from '../../people/store.ts'
import { asRole } from '../../workspaces/store.ts'
import { granted, Refusal, type WebCode } from './refusal.ts'

type ActingNeeds = Pick<People, 'store' | 'auth'> & { now: () => number }

/** Who asks, as the guards found them when the request began. */
export interface Who {
  person: Person
  session: { id: string }
}
interface WhoIn extends Who {
  workspace: { id: string }
}

/** What a change is made with. Everything in it goes through `db`, or through `people` for what the accounts library keeps. */
interface Acting<D> {
  db: Trx
  people: D
  by: Person
  now: number
}

/** Changes something of a person's own account. */
export const asPerson = <D extends ActingNeeds, T>(
  deps: D,
  who: Who,
  work: (acting: Acting<D>) => Promise<Verdict<T, WebCode>>,
): Promise<T> =>
  transaction(deps.store.db, async (trx) => {
    await confirmSession(trx, who)
    return granted(await work(actingIn(deps, who, trx)))
  })

/** Changes something of a workspace; `role` is the least that the person must be in it. */
export const asMember = <D extends ActingNeeds, T>(
  deps: D,
  who: WhoIn,
  role: Role,
  work: (acting: Acting<D> & { role: Role }) => Promise<Verdict<T, WebCode>>,
): Promise<T> =>
  transaction(deps.store.db, async (trx) => {
    const held = await confirmMember(trx, who, role)
    return granted(await work({ ...actingIn(deps, who, trx), role: held }))
  })

/** The same for work that begins its own transactions, several or late: the right is judged in each of them. */
export const personWriter =
  (deps: ActingNeeds, who: Who): Writer =>
  (work) =>
    transaction(deps.store.db, async (trx) => {
      await confirmSession(trx, who)
      return work(trx)
    })

export const memberWriter =
  (deps: ActingNeeds, who: WhoIn, role: Role): Writer =>
  (work) =>
    transaction(deps.store.db, async (trx) => {
      await confirmMember(trx, who, role)
      return work(trx)
    })

const actingIn = <D extends ActingNeeds>(deps: D, { person }: Who, trx: Trx): Acting<D> => ({
  db: trx,
  people: { ...deps, store: { ...deps.store, db: trx } },
  by: person,
  now: deps.now(),
})

/** On PostgreSQL the row is locked: whoever ends the session waits for this transaction, or this one sees it ended. */
async function confirmSession(trx: Trx, { person, session }: Who): Promise<void> {
  const row = trx.selectFrom('session').select('id').where('id', '=', session.id).where('userId', '=', person.id)
  const held = await (isPostgres(trx) ? row.forShare() : row).executeTakeFirst()
  if (!held) throw new Refusal('sign_in_needed')
}

/** The order of locks is session, member, workspace, agents. */
async function confirmMember(trx: Trx, who: WhoIn, role: Role): Promise<Role> {
  await confirmSession(trx, who)
  const row = trx
    .selectFrom('member')
    .select('role')
    .where('workspaceId', '=', who.workspace.id)
    .where('userId', '=', who.person.id)
  const held = await (isPostgres(trx) ? row.forShare() : row).executeTakeFirst()
  if (!held) throw new Refusal('workspace_unknown')
  const is = asRole(held.role)
  if (role === 'admin' && is !== 'admin') throw new Refusal('not_allowed')
  return is
}
