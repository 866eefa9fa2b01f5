/** The first step of a sign-in: the password is checked, and the second factor asked for if there is one. */
import type { SignInAnswer } from '@svc/api'
import type { Context } from 'hono'
import { passwordLength } from '../../people/accounts/auth.ts'
import { isDisabled } from '../../people/accounts/disabled.ts'
import { type halfCookies, newHalfToken } from '../../people/accounts/half.ts'
import { hashInTurn } from '../../people/accounts/hashing.ts'
import { beginFirstHalf, endFirstHalves } from '../../people/factors/first-halves.ts'
import { factorsOfPerson, waysToFinish } from '../../people/factors/held.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { callerKey } from '../../platform/http/address.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'
import type { SessionMaker, SignedInAccount, SignInFacts, SignInMethod } from './sign-in-session.ts'

/** The first half of a sign-in: the token for the browser's cookie, and the ways to show the second factor. */
type HalfSignIn = { token: string; second: Extract<SignInAnswer, { ok: false }>['second'] }
type PasswordTry = { password: string; known: boolean }
/** The session maker, and the parts of a sign-in that only the password step needs. */
type Sessions = SessionMaker & { addressOf: (c: Context<WebEnv>) => string; halves: ReturnType<typeof halfCookies> }

export function passwordStep(
  { auth, config, now, store }: Deps,
  { addressOf, halves, newSession, note, take }: Sessions,
) {
  /**
   * Returns the person's new session, or the first half of a sign-in if the person has a second factor; undefined if
   * the password is wrong or nobody has that address. Throws if the password is right but the person is disabled, or if
   * the database cannot be reached. If the queue for hashing is full, it throws without checking the password.
   */
  async function judge(c: Context<WebEnv>, person: SignedInAccount | undefined, { password, known }: PasswordTry) {
    const turn = { known, caller: callerKey(addressOf(c)) }
    return await hashInTurn(turn, async () => {
      const before = person ? await storedPassword(store.db, person.id) : null
      if (!(await isRight(password, before)) || !person) return undefined
      const half = await halfFor(person, 'password')
      const made = half ? undefined : await newSession(c, person)
      if (!(await wasChanged(person, password, before))) return half ?? made
      if (made) await (await auth.$context).internalAdapter.deleteSession(made.token)
      else await endFirstHalves(store.db, person.id)
      return undefined
    })
  }

  /** Stores the first half of a sign-in; undefined if the person has no second factor. */
  async function halfFor({ id }: SignedInAccount, method: SignInMethod): Promise<HalfSignIn | undefined> {
    const second = waysToFinish(await factorsOfPerson(store.db, config, id))
    if (second.length === 0) return undefined
    if (await isDisabled(store.db, id)) throw new Refusal('account_disabled')
    const token = newHalfToken()
    await beginFirstHalf(store.db, { token, personId: id, method }, now())
    return { token, second }
  }

  /** Gives the browser the first half of a sign-in, and asks for the second factor. */
  function ask(
    c: Context<WebEnv>,
    { email }: SignedInAccount,
    { token, second }: HalfSignIn,
    how: SignInFacts,
  ): SignInAnswer {
    note(c, email, { outcome: 'asked', ...how })
    take(c, [halves.set(token)])
    return { ok: false, second }
  }

  /**
   * Checks a password. If the account has no password, one is hashed anyway, so that the answer takes the same time.
   */
  async function isRight(password: string, hash: string | null): Promise<boolean> {
    if (password.length > passwordLength.max) return false
    const hashing = (await auth.$context).password
    if (hash !== null) return hashing.verify({ hash, password })
    await hashing.hash(password)
    return false
  }

  /**
   * True if the account got another password while the typed one was being checked. The new session must then end,
   * because the change of the password ended only the sessions that existed at that time.
   */
  async function wasChanged({ id }: SignedInAccount, password: string, before: string | null): Promise<boolean> {
    const hash = await storedPassword(store.db, id)
    if (hash === before) return false
    return hash === null || !(await (await auth.$context).password.verify({ hash, password }))
  }

  return { judge, halfFor, ask }
}

/**
 * The stored hash of the account's password. On PostgreSQL the query waits for a change of the password that is in
 * progress.
 */
async function storedPassword(db: Db, personId: string): Promise<string | null> {
  const row = db
    .selectFrom('account')
    .select('password')
    .where('userId', '=', personId)
    .where('providerId', '=', 'credential')
  const account = await (isPostgres(db) ? row.forShare() : row).executeTakeFirst()
  return account?.password ?? null
}
