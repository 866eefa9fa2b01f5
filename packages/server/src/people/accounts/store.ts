/** People: their accounts and passwords. The accounts library handles sign-in, sessions and cookies (auth.ts). */
import {
  emailOddity,
  lookOfEmail,
  readName,
  readPasted,
  shown,
  storedForms,
  trimInvisible,
  type Verdict,
} from '@svc/protocol'
import { readMailbox } from '../../deliveries/recipient.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { Actor, ChangeContext } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { endFirstHalves } from '../factors/first-halves.ts'
import { queueNotice } from '../mails/queue.ts'
import { passwordLength } from './auth.ts'
import type { PeopleCtx } from './library.ts'
import { type Accounts, decideWithAccounts, type PeopleDeps, type Trx } from './library.ts'
import { type PersonalWords, whyWeak } from './passwords.ts'

export interface Person {
  id: string
  name: string
  email: string
}
interface NewPerson {
  email: string
  name: string
  password: string
  /**
   * The names and short names of the workspaces that the person will be in, because a password must not consist of
   * them.
   */
  workspaces?: readonly string[]
}
export type PersonRefusal = 'email_invalid' | 'email_taken' | 'name_invalid' | 'password_invalid'

/** Creates an account for a person. */
export async function createPerson(
  { people, by, now }: PeopleCtx<Actor | 'themselves'>,
  person: NewPerson,
): Promise<Verdict<Person, PersonRefusal>> {
  const ready = await prepareNewPerson(people, person)
  if (!ready.ok) return ready
  return decideWithAccounts(people, (trx, accounts) => insertPerson({ db: trx, by, now }, accounts, ready.value))
}

/**
 * A person whose fields were checked and whose password was hashed, ready to be inserted within a transaction. Somebody
 * who comes from the sign-in provider has no password.
 */
interface ReadyPerson {
  email: string
  name: string
  hash?: string
}

/** Checks the fields of a new person, and hashes the password. */
export async function prepareNewPerson(
  people: PeopleDeps,
  person: NewPerson,
): Promise<Verdict<ReadyPerson, PersonRefusal>> {
  const email = readMailbox(person.email)
  if (!email.ok) return email
  const wrong = wrongName(person.name) ?? passwordRefusal(person.password, person)
  if (wrong) return wrong
  const { password } = await people.auth.$context
  const hash = await password.hash(person.password)
  return done({ email: email.value, name: storedName(person.name), hash })
}

/**
 * Inserts a person's account, password and audit entry in the given transaction. Deletes an unused link for the first
 * person.
 */
export async function insertPerson(
  { db: trx, by, now }: ChangeContext<Actor | 'themselves', Trx>,
  { own }: Accounts,
  { email, name, hash }: ReadyPerson,
): Promise<Verdict<Person, 'email_taken'>> {
  const taken = await refuseTakenEmail(trx, email)
  if (taken) return taken
  const { id } = await own.createUser({ email, name, emailVerified: true }, { method: 'admin' })
  if (hash !== undefined) await own.linkAccount({ userId: id, providerId: 'credential', accountId: id, password: hash })
  await trx.deleteFrom('link').where('purpose', '=', 'first').where('used_at', 'is', null).execute()
  const person = { id, name, email }
  await audit(trx, {
    workspaceId: null,
    at: now,
    by: by === 'themselves' ? { id, name } : by,
    action: 'person.created',
    subject: `person ${email}`,
  })
  return done(person)
}

/**
 * Finds the account of an address as a person typed it. If several match, because an earlier version stored addresses
 * in other forms, the account whose address is stored as typed is found.
 */
export async function findPerson(db: Db, email: string): Promise<Person | undefined> {
  // PostgreSQL can neither store a text with U+0000 nor compare it.
  const forms = storedForms(email).filter((form) => !isPostgres(db) || !form.includes('\0'))
  if (forms.length === 0) return undefined
  const people = await db.selectFrom('user').select(['id', 'name', 'email']).where('email', 'in', forms).execute()
  return people.sort((a, b) => forms.indexOf(a.email) - forms.indexOf(b.email))[0]
}

/**
 * Finds the account that the operator names, by its address or by its id. The id is needed because nobody can type an
 * address that an earlier version stored with an invisible character.
 */
export const findNamed = async (db: Db, typed: string): Promise<Person | undefined> =>
  (await findPerson(db, typed)) ??
  (/^[\w-]{8,64}$/.test(trimInvisible(typed)) ? personOfId(db, trimInvisible(typed)) : undefined)

/**
 * Locks the row of a person; false if the person is gone. A new session refers to that row, so no session is made
 * before the transaction ends: it sees all sessions of the person, and can end them.
 */
export async function lockPerson(trx: Db, { id }: { id: string }): Promise<boolean> {
  const row = trx.selectFrom('user').select('id').where('id', '=', id)
  return (await (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()) !== undefined
}

/** Finds the account that the operator names, and locks its row. */
export async function lockNamedPerson(trx: Db, typed: string): Promise<Person | undefined> {
  const person = await findNamed(trx, typed)
  return person && (await lockPerson(trx, person)) ? person : undefined
}

/** Refuses an address that has an account already, or that looks like the address of an account. */
export async function refuseTakenEmail(db: Db, email: string) {
  const person = await findPerson(db, email)
  if (person) return refuse('email_taken', `There is already an account for ${shown(person.email)}: sign in with it.`)
  const wanted = lookOfEmail(email)
  const all = await db.selectFrom('user').select('email').execute()
  const double = all.find((stored) => lookOfEmail(stored.email) === wanted)?.email
  if (double === undefined) return undefined
  const why = emailOddity(double) ?? 'is stored in another form'
  return refuse(
    'email_taken',
    `There is already an account that looks like ${shown(email)}, but its address ${why}: ask the operator.`,
  )
}

export const personOfId = (db: Db, id: string): Promise<Person | undefined> =>
  db.selectFrom('user').select(['id', 'name', 'email']).where('id', '=', id).executeTakeFirst()

export const listPeople = (db: Db): Promise<Person[]> =>
  db.selectFrom('user').select(['id', 'name', 'email']).orderBy('email').execute()

/** True while nobody has an account. The service then prints the link for the first person. */
export const hasNoAccounts = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) === undefined

/** Sets a new password at the operator's request; every session of the person ends. */
export async function resetPassword(
  { people, by, now }: PeopleCtx,
  { email, password }: { email: string; password: string },
): Promise<Verdict<Person, 'person_unknown' | 'password_invalid'>> {
  const owner = await findNamed(people.store.db, email)
  if (!owner) return unknownPerson(email)
  const wrong = passwordRefusal(password, await readPersonalWords(people.store.db, owner))
  if (wrong) return wrong
  const hash = await (await people.auth.$context).password.hash(password)
  return decideWithAccounts(people, async (trx, { own }) => {
    const person = await lockNamedPerson(trx, email)
    if (!person) return unknownPerson(email)
    const account = await own.findCredentialAccount(person.id)
    if (account) await own.updatePassword(person.id, hash)
    else await own.linkAccount({ userId: person.id, providerId: 'credential', accountId: person.id, password: hash })
    await endFirstHalves(trx, person.id)
    await queueNotice(trx, people, { person: person.id, what: 'password' }, now)
    await own.deleteUserSessions(person.id)
    await trx.deleteFrom('link').where('person_id', '=', person.id).where('used_at', 'is', null).execute()
    const subject = `person ${person.email}`
    await audit(trx, { workspaceId: null, at: now, by, action: 'person.password_reset', subject })
    return done(person)
  })
}

/** Changes the name under which a person's later actions are shown. */
export function renamePerson(
  people: PeopleDeps,
  person: Person,
  name: string,
  now: number,
): Promise<Verdict<Person, 'name_invalid'>> {
  return decideWithAccounts(people, async (trx, { own }) => {
    const wrong = wrongName(name)
    if (wrong) return wrong
    const renamed = { ...person, name: storedName(name) }
    await own.updateUser(person.id, { name: renamed.name })
    await audit(trx, {
      workspaceId: null,
      at: now,
      by: renamed,
      action: 'person.renamed',
      subject: `person ${person.email}`,
      details: { from: person.name, to: renamed.name },
    })
    return done(renamed)
  })
}

export function unknownPerson(email: string) {
  const read = readPasted('The email address', email)
  return refuse('person_unknown', read.ok ? `There is no account of ${shown(email)}.` : read.message)
}

const maxName = 100

/** The refusal of a name that a person or a workspace cannot have; undefined if they can have it. */
export function wrongName(name: string) {
  const read = readName(name, maxName)
  return read.ok ? undefined : read
}

/** Converts a name that `wrongName` accepts to the form in which it is stored. */
export function storedName(name: string): string {
  const read = readName(name, maxName)
  return read.ok ? read.value : trimInvisible(name)
}

/** The words that a person's password must not consist of. */
export async function readPersonalWords(db: Db, { id, email, name }: Person): Promise<PersonalWords> {
  const workspaces = await db
    .selectFrom('member')
    .innerJoin('workspace', 'workspace.id', 'member.workspaceId')
    .select(['workspace.name', 'workspace.slug'])
    .where('member.userId', '=', id)
    .execute()
  return { email, name, workspaces: workspaces.flatMap((workspace) => [workspace.name, workspace.slug]) }
}

export function passwordRefusal(password: string, own: PersonalWords) {
  const { min, max } = passwordLength
  if (password.length < min || password.length > max) {
    const message = `A password must have ${min} to ${max} characters: this one has ${password.length}.`
    return refuse('password_invalid', message)
  }
  const weak = whyWeak(password, own)
  return weak === undefined ? undefined : refuse('password_invalid', weak)
}
