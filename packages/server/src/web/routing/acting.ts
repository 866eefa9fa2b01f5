/**
 * Changes made by people (I33): the session, and in a workspace the membership, are checked in the transaction that
 * writes. After a confirmed removal, demotion or sign-out, a request in flight therefore cannot write.
 */
import type { Role } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import type { PeopleDeps, Trx } from '../../people/accounts/library.ts'
import type { Person } from '../../people/accounts/store.ts'
import { type MemberRights, rightsIn } from '../../people/workspaces/rights.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import { type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import { granted, Refusal, type WebCode } from '../../platform/refusal.ts'

type ActingNeeds = Pick<PeopleDeps, 'store' | 'auth'> & { now: () => number }

/** The person who sent the request and the session, as the guards found them when the request began. */
export interface Requester {
  person: Person
  session: { id: string }
}
interface RequesterInWorkspace extends Requester {
  workspace: { id: string }
}

/** The arguments of a function that makes a change. Both `db` and `people.store.db` are the transaction. */
interface ActContext<D> {
  db: Trx
  people: D
  by: Person
  now: number
}

/** Changes something about a person's own account, in one transaction that first checks the session. */
export const changeAsPerson = <D extends ActingNeeds, T>(
  deps: D,
  who: Requester,
  work: (acting: ActContext<D>) => Promise<Verdict<T, WebCode>>,
): Promise<T> =>
  transaction(deps.store.db, async (trx) => {
    await confirmSession(trx, who)
    return granted(await work(actingIn(deps, who, trx)))
  })

/**
 * Changes something in a workspace, in one transaction that first checks the session and the membership. `role` is the
 * minimum role that the person must have.
 */
export const changeAsMember = <D extends ActingNeeds, T>(
  deps: D,
  who: RequesterInWorkspace,
  role: Role,
  work: (acting: ActContext<D> & Pick<MemberRights, 'role' | 'factorMissing'>) => Promise<Verdict<T, WebCode>>,
): Promise<T> =>
  transaction(deps.store.db, async (trx) => {
    const { role: held, factorMissing } = await confirmMember(trx, who, role, deps.now())
    return granted(await work({ ...actingIn(deps, who, trx), role: held, factorMissing }))
  })

/**
 * Makes a writer for work that opens transactions itself, now or later. Each transaction first checks that the session
 * has not ended.
 */
export const personWriter =
  (deps: ActingNeeds, who: Requester): RunInTransaction =>
  (work) =>
    transaction(deps.store.db, async (trx) => {
      await confirmSession(trx, who)
      return work(trx)
    })

/** Makes a writer as `personWriter` does, but each transaction also checks the membership and the role. */
export const memberWriter =
  (deps: ActingNeeds, who: RequesterInWorkspace, role: Role): RunInTransaction =>
  (work) =>
    transaction(deps.store.db, async (trx) => {
      await confirmMember(trx, who, role, deps.now())
      return work(trx)
    })

const actingIn = <D extends ActingNeeds>(deps: D, { person }: Requester, trx: Trx): ActContext<D> => ({
  db: trx,
  people: { ...deps, store: { ...deps.store, db: trx } },
  by: person,
  now: deps.now(),
})

/**
 * Throws if the session of this person has ended, or the person is disabled. On PostgreSQL the row of the session is
 * locked, so a sign-out either waits for this transaction, or this transaction sees that the session has ended.
 */
async function confirmSession(trx: Trx, { person, session }: Requester): Promise<void> {
  const row = trx
    .selectFrom('session')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'session.userId')
    .select('id')
    .where('id', '=', session.id)
    .where('userId', '=', person.id)
    .where('disabled_at', 'is', null)
  const held = await (isPostgres(trx) ? row.forShare('session') : row).executeTakeFirst()
  if (!held) throw new Refusal('sign_in_needed')
}

/**
 * Returns the person's rights in the workspace. Throws if the session has ended, if the person is no member or lacks
 * the role, or if the role needs a second factor that the session has not shown. All transactions take their locks in
 * the order session, member, workspace, agents, so that they cannot deadlock.
 */
async function confirmMember(trx: Trx, who: RequesterInWorkspace, role: Role, now: number): Promise<MemberRights> {
  await confirmSession(trx, who)
  const held = await rightsIn(trx, who.workspace, who, { now, lock: true })
  if (!held) throw new Refusal('workspace_unknown')
  if (role === 'admin' && held.factorMissing) throw new Refusal('factor_required')
  if (role === 'admin' && held.role !== 'admin') throw new Refusal('not_allowed')
  return held
}
