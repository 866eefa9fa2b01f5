/**
 * Requests of people who forgot their password. The answer is the same for every valid e-mail address, because the
 * service looks up whether the address has an account only later, when it sends the mail.
 */
import type { Forgotten } from '@svc/api'
import type { Context } from 'hono'
import { callerAddress, callerKey } from '../http/address.ts'
import type { WebDeps } from '../kit/deps.ts'
import type { WebEnv } from '../kit/guards.ts'
import { isEmail, normalEmail } from '../people/email.ts'
import { queueMail } from '../people/mails.ts'
import { type Limit, Tries } from '../people/rate.ts'
import { Refusal } from '../refusal.ts'

/** The limit of requests for a new password from one network address. */
const perCaller: Limit = { max: 10, seconds: 3600 }
/**
 * The limit of mails about a forgotten password to one e-mail address. A request beyond it gets the same answer, but no
 * mail is sent.
 */
const perAccount: Limit = { max: 3, seconds: 3600 }

export function forgottenPasswords({ store, config, now }: WebDeps) {
  const addressOf = callerAddress(config.trustedProxies)
  const callers = new Tries(perCaller)
  const accounts = new Tries(perAccount)
  return async (c: Context<WebEnv>, typed: string): Promise<Forgotten> => {
    const mails = config.smtpUrl !== undefined
    const email = normalEmail(typed)
    if (!isEmail(email)) throw new Refusal('email_invalid')
    const caller = callerKey(addressOf(c.env.incoming))
    const wait = callers.wait(caller, perCaller, now())
    if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
    callers.add(caller, now())
    if (!mails || accounts.wait(email, perAccount, now()) !== undefined) return { mails }
    accounts.add(email, now())
    await queueMail(store.db, { kind: 'forgot', email }, now())
    return { mails }
  }
}
