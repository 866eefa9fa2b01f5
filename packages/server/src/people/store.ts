/** People: their accounts and passwords. The accounts library handles sign-in, sessions and cookies (auth.ts). */
import { shown, type Verdict } from '@svc/protocol'
import type { By, Ctx } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/open.ts'
import { done, refuse } from '../verdict.ts'
import { passwordLength } from './auth.ts'
import { isEmail, normalEmail } from './email.ts'
import type { PeopleCtx } from './library.ts'
import { type Accounts, decide, type People, type Trx } from './library.ts'
import { type OwnWords, whyWeak } from './weak.ts'

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
  { people, by, now }: PeopleCtx<By | 'themselves'>,
  person: NewPerson,
): Promise<Verdict<Person, PersonRefusal>> {
  const ready = await readyPerson(people, person)
  if (!ready.ok) return ready
  return decide(people, (trx, accounts) => insertPerson({ db: trx, by, now }, accounts, ready.value))
}

/** A person whose fields were checked and whose password was hashed, ready to be inserted within a transaction. */
interface ReadyPerson {
  email: string
  name: string
  hash: string
}

export async function readyPerson(people: People, person: NewPerson): Promise<Verdict<ReadyPerson, PersonRefusal>> {
  const wrong = wrongEmail(person.email) ?? wrongName(person.name) ?? wrongPassword(person.password, person)
  if (wrong) return wrong
  const { password } = await people.auth.$context
  const hash = await password.hash(person.password)
  return done({ email: normalEmail(person.email), name: person.name.trim(), hash })
}

/**
 * Inserts a person's account, password and audit entry in the given transaction. An unused link for the first person
 * becomes void.
 */
export async function insertPerson(
  { db: trx, by, now }: Ctx<By | 'themselves', Trx>,
  { own }: Accounts,
  { email, name, hash }: ReadyPerson,
): Promise<Verdict<Person, 'email_taken'>> {
  if (await findPerson(trx, email)) {
    return refuse('email_taken', `There is already an account for ${shown(email)}: sign in with it.`)
  }
  const { id } = await own.createUser({ email, name, emailVerified: true }, { method: 'admin' })
  await own.linkAccount({ userId: id, providerId: 'credential', accountId: id, password: hash })
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

export const findPerson = (db: Db, email: string): Promise<Person | undefined> =>
  db.selectFrom('user').select(['id', 'name', 'email']).where('email', '=', normalEmail(email)).executeTakeFirst()

export const personOfId = (db: Db, id: string): Promise<Person | undefined> =>
  db.selectFrom('user').select(['id', 'name', 'email']).where('id', '=', id).executeTakeFirst()

export const listPeople = (db: Db): Promise<Person[]> =>
  db.selectFrom('user').select(['id', 'name', 'email']).orderBy('email').execute()

/** True while nobody has an account. The service then prints the link for the first person. */
export const nobodyYet = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) === undefined

/** Sets a new password at the operator's request; every session of the person ends. */
export async function resetPassword(
  { people, by, now }: PeopleCtx,
  { email, password }: { email: string; password: string },
): Promise<Verdict<Person, 'person_unknown' | 'password_invalid'>> {
  const owner = await findPerson(people.store.db, email)
  if (!owner) return unknownPerson(email)
  const wrong = wrongPassword(password, await ownWords(people.store.db, owner))
  if (wrong) return wrong
  const hash = await (await people.auth.$context).password.hash(password)
  return decide(people, async (trx, { own }) => {
    const person = await findPerson(trx, email)
    if (!person) return unknownPerson(email)
    const account = await own.findCredentialAccount(person.id)
    if (account) await own.updatePassword(person.id, hash)
    else await own.linkAccount({ userId: person.id, providerId: 'credential', accountId: person.id, password: hash })
    await own.deleteUserSessions(person.id)
    await trx.deleteFrom('link').where('person_id', '=', person.id).where('used_at', 'is', null).execute()
    await audit(trx, { workspaceId: null, at: now, by, action: 'person.password_reset', subject: `person ${email}` })
    return done(person)
  })
}

/** Changes the name under which a person's later actions are shown. */
export function renamePerson(
  people: People,
  person: Person,
  name: string,
  now: number,
): Promise<Verdict<Person, 'name_invalid'>> {
  return decide(people, async (trx, { own }) => {
    const wrong = wrongName(name)
    if (wrong) return wrong
    const renamed = { ...person, name: name.trim() }
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

export const unknownPerson = (email: string) => refuse('person_unknown', `There is no account of ${shown(email)}.`)

export function wrongEmail(email: string) {
  if (isEmail(email.trim())) return undefined
  return refuse('email_invalid', `An e-mail address looks like name@example.org: got ${shown(email)}.`)
}

export function wrongName(name: string) {
  const length = [...name.trim()].length
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (length >= 1 && length <= 100 && !/[\u0000-\u001f\u007f-\u009f]/.test(name)) return undefined
  return refuse('name_invalid', `A name must have 1 to 100 characters and no line breaks: got ${shown(name)}.`)
}

/** The words that a person's password must not consist of. */
export async function ownWords(db: Db, { id, email, name }: Person): Promise<OwnWords> {
  const workspaces = await db
    .selectFrom('member')
    .innerJoin('workspace', 'workspace.id', 'member.workspaceId')
    .select(['workspace.name', 'workspace.slug'])
    .where('member.userId', '=', id)
    .execute()
  return { email, name, workspaces: workspaces.flatMap((workspace) => [workspace.name, workspace.slug]) }
}

export function wrongPassword(password: string, own: OwnWords) {
  const { min, max } = passwordLength
  if (password.length < min || password.length > max) {
    const message = `A password must have ${min} to ${max} characters: this one has ${password.length}.`
    return refuse('password_invalid', message)
  }
  const weak = whyWeak(password, own)
  return weak === undefined ? undefined : refuse('password_invalid', weak)
}
