/**
 * Records tries to sign in: a log line for each, good or bad, and a person's last successful ones for the account page.
 */
import type { SignInRecord } from '@svc/api'
import { foreignLine, isEmail } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { normalEmail } from './email.ts'

/**
 * The outcome of a try to sign in. `limited` means too many tries and `busy` that the queue for hashing was full, so the
 * password was not checked; `asked` and `disabled` mean that it was right, or the link good, but a second factor is asked
 * for, or the person is disabled.
 */
export type SignInOutcome = 'ok' | 'asked' | 'wrong' | 'limited' | 'busy' | 'disabled'

/**
 * The facts of a log line about a try to sign in. docs/operate.md has a filter for fail2ban that reads them in this
 * order.
 */
export interface SignInLine {
  address: string
  account: string
  outcome: SignInOutcome
  /** How the person signed in; a wrong second factor is `code` or `recovery`. */
  method: SignInRecord['method'] | 'code' | 'recovery'
  /**
   * True if the browser had signed in to the account before this try; always false for one-time links and invitations.
   */
  known: boolean
  /** The id of the request, sent to the client as `X-Request-Id`. */
  request: string | undefined
}

/**
 * Shortens what was typed as an e-mail address for the log. Text that is not an address may be a password typed into
 * the wrong field, and becomes "…".
 */
export function shortAccount(typed: string): string {
  const address = normalEmail(typed)
  const [, local = '', host = ''] = /^(.*)@([a-z0-9.-]+\.[a-z]{2,24})$/.exec(address) ?? []
  if (local === '' || !isEmail(address)) return '…'
  return `${local.slice(0, 2)}…@${host}`
}

/** The number of sign-ins that are kept for each person. */
export const maxSignIns = 20
export const maxUserAgent = 300

/** Stores a good sign-in, and deletes the person's oldest beyond `maxSignIns`. */
export function recordSignIn(db: Db, personId: string, record: SignInRecord): Promise<void> {
  const { at, method, second = null, address, userAgent } = record
  return transaction(db, async (trx) => {
    const row = {
      id: newId(at),
      person_id: personId,
      at,
      method,
      second,
      address,
      user_agent: foreignLine(userAgent, maxUserAgent),
    }
    await trx.insertInto('sign_in').values(row).execute()
    const kept = newest(trx, personId).select('id')
    await trx.deleteFrom('sign_in').where('person_id', '=', personId).where('id', 'not in', kept).execute()
  })
}

export async function signInsOf(db: Db, personId: string): Promise<SignInRecord[]> {
  const rows = await newest(db, personId).select(['at', 'method', 'second', 'address', 'user_agent']).execute()
  return rows.map(({ user_agent, second, ...row }) => ({
    ...row,
    ...(second !== null && { second }),
    userAgent: user_agent,
  }))
}

const newest = (db: Db, personId: string) =>
  db
    .selectFrom('sign_in')
    .where('person_id', '=', personId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxSignIns)
