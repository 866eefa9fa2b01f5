/**
 * Requests of people who forgot their password. The answer depends only on what was typed, because the service looks up
 * only afterwards whether an address has an account. For one without an account nothing is queued.
 */
import type { Forgotten } from '@svc/api'
import type { Context } from 'hono'
import { readMailbox } from '../../deliveries/recipient.ts'
import { type Limit, Tries } from '../../people/accounts/rate.ts'
import { findPerson } from '../../people/accounts/store.ts'
import { queueMail } from '../../people/mails/queue.ts'
import { callerKey } from '../../platform/http/address.ts'
import { callerAddress } from '../../platform/http/caller.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { WebEnv } from '../routing/guards.ts'
import type { WebDeps } from '../routing/web-deps.ts'

/** The limit of requests for a new password of one known browser, or else from one network address. */
const perCaller: Limit = { max: 10, seconds: 3600 }
/**
 * The limit of mails about a forgotten password to one e-mail address. A request beyond it gets the same answer, but no
 * mail is sent.
 */
const perAccount: Limit = { max: 3, seconds: 3600 }

/** The maximum number of requests that are answered and not yet looked up. */
const maxPending = 1000

export function forgottenPasswords({ store, config, log, now, signIn }: WebDeps) {
  let last: Promise<unknown> = Promise.resolve()
  let pending = 0
  const addressOf = callerAddress({ config, log })
  const callers = new Tries(perCaller)
  const accounts = new Tries(perAccount)
  return async (c: Context<WebEnv>, typed: string): Promise<Forgotten> => {
    const mails = config.smtpUrl !== undefined
    const caller = signIn.browserOf(c) ?? callerKey(addressOf(c.env.incoming))
    const wait = callers.wait(caller, perCaller, now())
    if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
    callers.add(caller, now())
    // Earlier versions stored addresses that are refused today, so a refused text is looked up, too.
    const read = readMailbox(typed)
    const email = read.ok ? read.value : typed.trim().toLowerCase()
    if (mails && accounts.wait(email, perAccount, now()) === undefined) {
      accounts.add(email, now())
      afterAnswer(c, () => queueIfKnown(typed))
    }
    if (!read.ok) throw new Refusal('email_invalid', read.message)
    return { mails }
  }

  /**
   * Does work after the answer was sent, so that the answer takes the same time in all cases. The work of several
   * requests is done one after the other.
   */
  function afterAnswer(c: Context<WebEnv>, work: () => Promise<void>): void {
    if (pending >= maxPending) {
      log.warn('a request for a new password was dropped: too many are pending')
      return
    }
    pending++
    const { outgoing } = c.env
    const begin = () => {
      last = last
        .then(work)
        .catch((error) => log.warn({ err: error }, 'a request for a new password was lost'))
        .finally(() => pending--)
    }
    if (outgoing.closed) begin()
    else outgoing.once('close', begin)
  }

  /** Queues a mail to the stored address of the account, which may differ from what was typed. */
  async function queueIfKnown(typed: string): Promise<void> {
    const person = await findPerson(store.db, typed)
    if (!person) return
    const isQueued = await queueMail(store.db, { kind: 'forgot', email: person.email }, now())
    if (!isQueued) log.warn('a mail about a forgotten password was dropped: too many wait for the mail server')
  }
}
