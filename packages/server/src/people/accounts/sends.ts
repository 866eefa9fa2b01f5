/**
 * Limits how often a person can have the service send tests of channels and invitations by mail, and how many accounts
 * strangers make. The counts are in the database, so that the limits hold on all nodes together and after a restart.
 */
import { createHash } from 'node:crypto'
import type { Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { done, refuse } from '../../platform/verdict.ts'

interface SendLimit {
  max: number
  ms: number
  /** The words for what is limited, as the beginning of a sentence. */
  says: string
}

const minuteMs = 60_000
/** The limits of what people can have the service send, and of accounts that strangers make. */
export const sendLimits = {
  test_channel: { max: 3, ms: minuteMs, says: 'A channel gets at most 3 tests in a minute' },
  test_person: { max: 10, ms: minuteMs, says: 'A person may send at most 10 tests in a minute' },
  invite_workspace: { max: 50, ms: dayMs, says: 'A workspace may send at most 50 invitations by mail in a day' },
  account_address: { max: 20, ms: 60 * minuteMs, says: 'A network address makes at most 20 accounts in an hour' },
  account_provider: { max: 500, ms: dayMs, says: 'A sign-in provider makes at most 500 accounts in a day' },
  invite_address: { max: 3, ms: dayMs, says: 'An address gets at most 3 invitations by mail in a day' },
} as const satisfies Record<string, SendLimit>
type SendKind = keyof typeof sendLimits

/** The limits that one message or new account counts for, each with a key, such as an address. */
type CountedKeys = readonly (readonly [kind: SendKind, key: string])[]

/**
 * Counts something that is about to be sent, in the transaction that queues it. If a limit is reached, nothing is
 * counted, and the refusal says when sending is possible again.
 */
export async function countSend(trx: Db, all: CountedKeys, now: number): Promise<Verdict<null, 'rate_limited'>> {
  const counted = all.map(([kind, key]) => ({ kind, key: hashed(key) }))
  for (const { kind, key } of counted) await lock(trx, `${kind} ${key}`)
  for (const { kind, key } of counted) {
    const { max, ms, says } = sendLimits[kind]
    const rows = await trx
      .selectFrom('counted_send')
      .select('at')
      .where('kind', '=', kind)
      .where('key', '=', key)
      .where('at', '>', now - ms)
      .orderBy('at', 'desc')
      .limit(max)
      .execute()
    const oldest = rows[max - 1]?.at
    if (oldest !== undefined) return refuse('rate_limited', `${says}. ${againAt(Number(oldest) + ms, now)}`)
  }
  await trx
    .deleteFrom('counted_send')
    .where('at', '<=', now - dayMs)
    .execute()
  const rows = counted.map((one) => ({ id: newId(now), ...one, at: now }))
  await trx.insertInto('counted_send').values(rows).execute()
  return done(null)
}

/** Hashes a key. Only the hash is stored, because the key may be the e-mail address of a stranger. */
const hashed = (key: string): string => createHash('sha256').update(key).digest('base64url')

/** Makes nodes count one after another. All callers name the kinds in the same order, so they cannot deadlock. */
async function lock(trx: Db, name: string): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
}

function againAt(at: number, now: number): string {
  const seconds = Math.max(1, Math.ceil((at - now) / 1000))
  if (seconds <= 120) return `It is possible again in ${seconds} s.`
  return `It is possible again on ${new Date(at).toISOString().slice(0, 16).replace('T', ' at ')} UTC.`
}
