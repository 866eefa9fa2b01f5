/**
 * The operator disables and enables accounts, deletes them, and makes people operators. The last admin of a workspace
 * can be disabled and deleted, too; the result then names the workspaces that are left without an admin.
 */
import type { Verdict } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { done } from '../../platform/verdict.ts'
import { type Accounts, decideWithAccounts, type PeopleCtx, type Trx } from '../accounts/library.ts'
import { lockNamedPerson, type Person, unknownPerson } from '../accounts/store.ts'
import { audit } from '../audit/store.ts'
import { endFirstHalves } from '../factors/first-halves.ts'
import { queueNotice } from '../mails/queue.ts'

type PersonVerdict = Verdict<Person, 'person_unknown'>
type RemovalVerdict = Verdict<Person & { withoutAdmin: string[] }, 'person_unknown'>

/**
 * Disables a person: all sessions and unused links end, and nobody can sign in to the account. The person stays a
 * member without any right, so that `enablePerson` restores every right.
 */
export const disablePerson = ({ people, by, now }: PeopleCtx, email: string): Promise<RemovalVerdict> =>
  decideWithAccounts<Person & { withoutAdmin: string[] }, 'person_unknown'>(people, async (trx, accounts) => {
    const person = await lockNamedPerson(trx, email)
    if (!person) return unknownPerson(email)
    // A sign-in in progress has either made its session, which ends below with the others, or will find the person
    // disabled.
    const withoutAdmin = await findOnlyAdmin(trx, person)
    const made = await trx
      .insertInto('person_disabled')
      .values({ person_id: person.id, disabled_at: now })
      .onConflict((conflict) => conflict.column('person_id').doNothing())
      .returning('person_id')
      .executeTakeFirst()
    await endAccess(trx, accounts, person)
    if (made) {
      await audit(trx, { ...noteOn(person), at: now, by, action: 'person.disabled' })
      await queueNotice(trx, people, { person: person.id, what: 'disabled' }, now)
    }
    return done({ ...person, withoutAdmin })
  })

/** Enables a person again. Ends sessions and links that a node of an earlier version made meanwhile. */
export const enablePerson = ({ people, by, now }: PeopleCtx, email: string): Promise<PersonVerdict> =>
  decideWithAccounts<Person, 'person_unknown'>(people, async (trx, accounts) => {
    const person = await lockNamedPerson(trx, email)
    if (!person) return unknownPerson(email)
    const deleted = await trx.deleteFrom('person_disabled').where('person_id', '=', person.id).executeTakeFirst()
    if (deleted.numDeletedRows > 0n) {
      await endAccess(trx, accounts, person)
      await audit(trx, { ...noteOn(person), at: now, by, action: 'person.enabled' })
    }
    return done(person)
  })

/**
 * Deletes an account with its memberships, personal channels and the invitations that the person made. The activity
 * keeps the person's name.
 */
export const deletePerson = ({ people, by, now }: PeopleCtx, email: string): Promise<RemovalVerdict> =>
  decideWithAccounts<Person & { withoutAdmin: string[] }, 'person_unknown'>(people, async (trx, accounts) => {
    const person = await lockNamedPerson(trx, email)
    if (!person) return unknownPerson(email)
    const withoutAdmin = await findOnlyAdmin(trx, person)
    await endAccess(trx, accounts, person)
    const left = await trx.deleteFrom('member').where('userId', '=', person.id).returning('workspaceId').execute()
    for (const { workspaceId } of left)
      await audit(trx, { ...noteOn(person), workspaceId, at: now, by, action: 'member.removed' })
    await trx.deleteFrom('alert_channel').where('owner', '=', person.id).execute()
    await trx.deleteFrom('invitation').where('inviterId', '=', person.id).execute()
    await accounts.own.deleteUser(person.id)
    await audit(trx, { ...noteOn(person), at: now, by, action: 'person.deleted', details: { name: person.name } })
    return done({ ...person, withoutAdmin })
  })

/** Makes a person an operator, or ends that if `isOne` is false. */
export const setOperator = ({ people, by, now }: PeopleCtx, email: string, isOne: boolean): Promise<PersonVerdict> =>
  decideWithAccounts<Person, 'person_unknown'>(people, async (trx) => {
    const person = await lockNamedPerson(trx, email)
    if (!person) return unknownPerson(email)
    const before = await isOperator(trx, person)
    if (before === isOne) return done(person)
    if (isOne) {
      await trx.insertInto('person_operator').values({ person_id: person.id, made_at: now }).execute()
      await queueNotice(trx, people, { person: person.id, what: 'operator' }, now)
    } else await trx.deleteFrom('person_operator').where('person_id', '=', person.id).execute()
    const action = isOne ? 'person.operator_made' : 'person.operator_removed'
    await audit(trx, { ...noteOn(person), at: now, by, action })
    return done(person)
  })

export async function isOperator(db: Db, { id }: { id: string }): Promise<boolean> {
  const row = db.selectFrom('person_operator').select('made_at').where('person_id', '=', id)
  return (await row.executeTakeFirst()) !== undefined
}

const noteOn = ({ email }: Person) => ({ workspaceId: null, subject: `person ${email}` })

async function endAccess(trx: Trx, { own }: Accounts, { id }: Person): Promise<void> {
  await endFirstHalves(trx, id)
  await own.deleteUserSessions(id)
  await trx.deleteFrom('link').where('person_id', '=', id).where('used_at', 'is', null).execute()
}

/**
 * The short names of the workspaces in which this person is an admin, and in which all other admins are disabled or
 * there are none.
 */
async function findOnlyAdmin(trx: Db, { id }: Person): Promise<string[]> {
  const rows = await trx
    .selectFrom('member')
    .innerJoin('workspace', 'workspace.id', 'member.workspaceId')
    .select('workspace.slug')
    .where('member.userId', '=', id)
    .where('member.role', '=', 'admin')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('member as other')
            .leftJoin('person_disabled', 'person_disabled.person_id', 'other.userId')
            .select('other.id')
            .whereRef('other.workspaceId', '=', 'member.workspaceId')
            .where('other.userId', '!=', id)
            .where('other.role', '=', 'admin')
            .where('person_disabled.disabled_at', 'is', null),
        ),
      ),
    )
    .orderBy('workspace.slug')
    .execute()
  return rows.map(({ slug }) => slug)
}
