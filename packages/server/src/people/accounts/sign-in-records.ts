/**
 * Records tries to sign in: a log line for each, good or bad, and a person's last successful ones for the account page.
 */
import type { SignInRecord } from '@svc/api'
import { foreignLine, isEmail } from '@svc/protocol'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import type { SignInTable } from '../../platform/db/tables/people.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { callerKey } from '../../platform/http/address.ts'
import { newId } from '../../platform/ids.ts'
import { normalEmail } from './email.ts'

/**
 * The outcome of a try to sign in. With `limited` (too many tries) and `busy` (the queue for hashing was full), nothing
 * was checked; with `asked` (a second factor is needed) and `disabled`, the password or link was right. With `failed`,
 * a sign-in through the provider broke off; with `refused`, the person that the provider named is not let in here.
 */
export type SignInOutcome = 'ok' | 'asked' | 'wrong' | 'limited' | 'busy' | 'disabled' | 'failed' | 'refused'

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
   * True if the browser had signed in to the account before this try. False if that was not looked up, as for links and
   * invitations.
   */
  known: boolean
  /** The id of the request, sent to the client as `X-Request-Id`. */
  request: string | undefined
}

/**
 * Shortens what was typed as an e-mail address for the log. Text that is not an address may be a password typed into
 * the wrong field, and becomes "…".
 */
export function maskedEmail(typed: string): string {
  const address = normalEmail(typed)
  const [, local = '', host = ''] = /^(.*)@([a-z0-9.-]+\.[a-z]{2,24})$/.exec(address) ?? []
  if (local === '' || !isEmail(address)) return '…'
  return `${local.slice(0, 2)}…@${host}`
}

/** The maximum number of lines about sign-ins that are kept for each person. */
const maxSignIns = 100
/** The maximum number of characters of a browser's name that are stored. */
export const maxUserAgent = 300

/** Stores a successful sign-in: counts it in the line of equal sign-ins, if there is one, or adds a line. */
export function recordSignIn(db: Db, personId: string, record: SignInRecord, max = maxSignIns): Promise<void> {
  const { at, method, second = null, address } = record
  const what = { method, second, address, user_agent: foreignLine(record.userAgent, maxUserAgent) }
  return transaction(db, async (trx) => {
    const rows = await newestRecords(trx, personId).execute()
    const equal = rows.find((row) =>
      Object.entries(what).every(([key, value]) => row[key as keyof typeof row] === value),
    )
    // If the clock went back, the line still does not end before it begins.
    const [first_at, last_at] = equal ? [Math.min(equal.first_at ?? equal.at, at), Math.max(equal.at, at)] : [at, at]
    if (equal) return count(trx, equal, { at: last_at, times: 1, first_at })
    const row = { id: newId(at), person_id: personId, at, ...what, times: 1, first_at: null }
    await trx.insertInto('sign_in').values(row).execute()
    for (const kept = [row, ...rows]; kept.length > max; ) {
      const [dropped, into] = nextToDrop(kept)
      kept.splice(kept.indexOf(dropped), 1)
      await trx.deleteFrom('sign_in').where('id', '=', dropped.id).execute()
      const first_at = Math.min(...[dropped, into ?? dropped].map((each) => each.first_at ?? each.at))
      if (into) await count(trx, into, { at: into.at, times: dropped.times, first_at })
    }
  })
}

const count = async (trx: Db, { id }: { id: string }, { times, ...at }: CountedSignIn): Promise<void> => {
  await trx
    .updateTable('sign_in')
    .set((eb) => ({ ...at, times: eb('times', '+', times) }))
    .where('id', '=', id)
    .execute()
}
type CountedSignIn = Pick<SignInRow, 'at' | 'times' | 'first_at'>
type SignInRow = Selectable<SignInTable>

/**
 * Chooses the line to delete from lines sorted newest first: the oldest line of the network address with the most
 * lines. So one address cannot push out the lines of all others. The second result is the next line of that address, to
 * which the deleted sign-ins are added.
 */
export function nextToDrop<T extends Pick<SignInRow, 'address'>>(
  rows: readonly T[],
): [dropped: T, into: T | undefined] {
  const oldestFirst = Map.groupBy(rows.toReversed(), ({ address }) => callerKey(address)).values()
  const [dropped, into] = [...oldestFirst].reduce((most, each) => (each.length > most.length ? each : most))
  return [dropped as T, into]
}

export async function listSignIns(db: Db, personId: string): Promise<SignInRecord[]> {
  const rows = await newestRecords(db, personId).execute()
  return rows.map(({ at, method, second, address, user_agent, times, first_at }) => ({
    ...{ at, method, address, userAgent: user_agent },
    ...(second !== null && { second }),
    ...(first_at !== null && { times, since: first_at }),
  }))
}

const newestRecords = (db: Db, personId: string) =>
  db.selectFrom('sign_in').selectAll().where('person_id', '=', personId).orderBy('at', 'desc').orderBy('id', 'desc')
