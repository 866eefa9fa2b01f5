/** A sign-in with a passkey, which is both factors: it asks for no address and no password. */
import type { PasskeyAnswer } from '@svc/api'
import type { Context } from 'hono'
import { challengeCookies } from '../../people/accounts/challenge.ts'
import { decideWithAccounts } from '../../people/accounts/library.ts'
import { checkPasskey, type PasskeyUse, takePasskey } from '../../people/accounts/passkeys.ts'
import { noteProof } from '../../people/factors/store.ts'
import { Refusal } from '../../platform/refusal.ts'
import { refuse } from '../../platform/verdict.ts'
import type { Deps } from './deps.ts'
import type { WebEnv } from './guards.ts'
import type { NewSession, SessionMaker } from './sign-in-session.ts'

export function passkeyStep({ auth, config, log, now, store }: Deps, { newSession, take }: SessionMaker) {
  const challenges = challengeCookies(config)
  const copied = (passkey: { id: string; person: string }) =>
    log.warn(passkey, 'a passkey was refused: its counter went back, so it may have been copied')

  return {
    /** Gives the browser a challenge, and returns it. */
    challenge(c: Context<WebEnv>): string {
      const { challenge, cookie } = challenges.make('use', now())
      take(c, [cookie])
      return challenge
    },
    /** Checks the answer of a browser to its challenge; undefined if it is not good. */
    check: (c: Context<WebEnv>, answer: PasskeyAnswer): Promise<PasskeyUse | undefined> =>
      checkPasskey({ db: store.db, config, copied }, challenges.find(c.req.header('cookie'), 'use', now()), answer),
    /** Takes the challenge from the browser. */
    end: (c: Context<WebEnv>): void => take(c, [challenges.clear('use')]),
    /** Makes the session, in the transaction that uses challenge and passkey up. */
    complete: (c: Context<WebEnv>, use: PasskeyUse) =>
      decideWithAccounts<NewSession, 'sign_in_failed'>({ store, auth }, async (trx) => {
        if (!(await takePasskey(trx, use, now()))) return failed
        const made = await newSession(c, use.person, trx)
        const session = await trx
          .selectFrom('session')
          .select('id')
          .where('token', '=', made.token)
          .executeTakeFirstOrThrow()
        await noteProof(trx, session, 'factor', now())
        return { ok: true, value: made }
      }),
  }
}

const failed = refuse('sign_in_failed', new Refusal('sign_in_failed').message)
