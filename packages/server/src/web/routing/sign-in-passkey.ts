/** A sign-in with a passkey, which is both factors: it asks for no address and no password. */
import type { NewPasskeyAnswer, PasskeyAnswer } from '@svc/api'
import type { Context } from 'hono'
import { type ChallengeFor, challengeCookies } from '../../people/accounts/challenge.ts'
import { decideWithAccounts } from '../../people/accounts/library.ts'
import { checkPasskey, type PasskeyUse, takePasskey } from '../../people/accounts/passkeys.ts'
import { endFirstHalf } from '../../people/factors/first-halves.ts'
import { noteFactorIn } from '../../people/factors/store.ts'
import { Refusal } from '../../platform/refusal.ts'
import { refuse } from '../../platform/verdict.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'
import type { NewSession, SessionMaker } from './sign-in-session.ts'

export function passkeyStep({ auth, config, log, now, store }: Deps, { newSession, take }: SessionMaker) {
  const challenges = challengeCookies(config)
  const copied = (passkey: { id: string; person: string }) =>
    log.warn(passkey, 'a passkey was refused: its counter went back, so it may have been copied')

  const find = (c: Context<WebEnv>, purpose: ChallengeFor, answer: PasskeyAnswer | NewPasskeyAnswer) =>
    challenges.find(c.req.header('cookie'), purpose, answer, now())

  return {
    find,
    /** Gives the browser a challenge, and returns it. */
    give(c: Context<WebEnv>, purposes: ChallengeFor[]): string {
      const { challenge, cookies } = challenges.make(c.req.header('cookie'), purposes, now())
      take(c, cookies)
      return challenge
    },
    /** Removes the challenge of this answer from the browser. */
    end: (c: Context<WebEnv>, purposes: ChallengeFor[], answer: PasskeyAnswer | NewPasskeyAnswer): void =>
      take(c, challenges.end(c.req.header('cookie'), purposes, answer, now())),
    /** Checks the answer of a browser to its challenge; undefined if the answer is not valid. */
    check: (c: Context<WebEnv>, purpose: ChallengeFor, answer: PasskeyAnswer): Promise<PasskeyUse | undefined> =>
      checkPasskey({ db: store.db, config, copied }, find(c, purpose, answer), answer),
    /** Makes the session and its proof, in the transaction that uses up the challenge and ends a first half. */
    complete: (c: Context<WebEnv>, use: PasskeyUse, half: string | undefined) =>
      decideWithAccounts<NewSession, 'sign_in_failed'>({ store, auth }, async (trx) => {
        if (!(await takePasskey(trx, use, now()))) return failed
        if (half !== undefined) await endFirstHalf(trx, half)
        const made = await newSession(c, use.person, trx)
        await noteFactorIn(trx, made, now())
        return { ok: true, value: made }
      }),
  }
}

const failed = refuse('sign_in_failed', new Refusal('sign_in_failed').message)
