/** The second step of a sign-in: a code of an authenticator app, or a recovery code. */
import type { Context } from 'hono'
import { useFactor } from '../../people/accounts/factors.ts'
import { decideWithAccounts } from '../../people/accounts/library.ts'
import type { Person } from '../../people/accounts/store.ts'
import { spendFirstHalf } from '../../people/factors/first-halves.ts'
import type { PartyOfCodes } from '../../people/factors/rules.ts'
import { forgetWrongCodes, noteFactorIn } from '../../people/factors/store.ts'
import { Refusal } from '../../platform/refusal.ts'
import { refuse } from '../../platform/verdict.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'
import type { NewSession, SessionMaker } from './sign-in-session.ts'

/** The person whose code was typed, and the party that typed it. */
type CodeGiver = { person: Person; party: PartyOfCodes }
/** The code that a person typed: of an app, or a recovery code. */
export type GivenCodes = { code?: string; recovery?: string }

/**
 * Makes the session of a completed sign-in, in the transaction that uses the first half and the code up. So no session
 * is made after the password was changed or the factors were removed.
 */
export const secondStep =
  ({ auth, config, log, now, store }: Deps, { newSession }: Pick<SessionMaker, 'newSession'>) =>
  (c: Context<WebEnv>, half: { hash: string }, { person, party }: CodeGiver, given: GivenCodes) =>
    decideWithAccounts<NewSession, 'second_factor_failed' | 'factor_unreadable'>({ store, auth }, async (trx) => {
      if (!(await spendFirstHalf(trx, half, now()))) return secondFailed
      let off: number | undefined
      const clocksDiffer = (seconds: number) => {
        off = seconds
        noteClocks(log, person, seconds)
      }
      const used = await useFactor({ db: trx, config, person, now: now(), clocksDiffer }, given)
      if (!used.ok && used.code === 'factor_unreadable') return { ...used, code: used.code }
      if (!used.ok) return off === undefined ? secondFailed : refuse('second_factor_failed', used.message)
      await forgetWrongCodes(trx, person.id, party)
      const made = await newSession(c, person, trx)
      await noteFactorIn(trx, made, now())
      return { ok: true, value: made }
    })

/** Logs that an authenticator app and the service disagree about the time. */
export const noteClocks = (log: Deps['log'], person: { id: string }, seconds: number): void =>
  log.warn({ person: person.id, seconds }, 'clocks differ: a code of an authenticator app is from another time')

const secondFailed = refuse('second_factor_failed', new Refusal('second_factor_failed').message)
/** The message of the refusal while codes are locked. */
export const tooManyCodes =
  'Too many wrong codes: further ones are refused here for a while. A recovery code still signs you in.'
