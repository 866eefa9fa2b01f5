/**
 * Somebody who watches the watcher: while alerts are evaluated, written down and sent, the node that evaluates calls an address
 * each minute. The other side raises the alarm when the calls stop.
 */
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import type { Logger } from 'pino'
import type { Db } from '../db/open.ts'
import { messageOf } from '../errors.ts'
import { mayBeat } from './service.ts'

const everyMs = 60_000
const timeoutMs = 10_000

interface Beating {
  /** Undefined: nobody watches. */
  url: string | undefined
  log: Pick<Logger, 'warn'>
  /** Gives the status of the answer; for tests. */
  call?: (url: string) => Promise<number>
}

/** Called after each turn of the evaluation; resolves when the call, if one was due, has ended. */
export function newHeartbeat({ url, log, call = callOnce }: Beating): (db: Db, now: number) => Promise<void> {
  let beatAt = Number.NEGATIVE_INFINITY
  return async (db, now) => {
    // A clock that went back does not stop the calls.
    if (url === undefined || (now >= beatAt && now - beatAt < everyMs)) return
    const { turned_at } = (await db.selectFrom('alert_lease').select('turned_at').executeTakeFirst()) ?? {
      turned_at: null,
    }
    const oldest = await db
      .selectFrom('alert_delivery')
      .select(({ fn }) => fn.min('due_at').as('at'))
      .where('state', '=', 'waiting')
      .executeTakeFirst()
    // A turn ends with a write, so its time is also that of the last write.
    const alive = { wroteAt: turned_at, evaluatedAt: turned_at, oldestDueAt: oldest?.at ?? null }
    beatAt = now
    if (!mayBeat(alive, now))
      return log.warn({ ...alive }, 'no heartbeat is sent: alerts are not evaluated or not sent')
    try {
      const status = await call(url)
      if (status < 200 || status > 299) log.warn({ status }, 'the heartbeat was not taken')
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the heartbeat did not arrive')
    }
  }
}

/** The address is the operator's own, so any may be called. Its answer is not read. */
function callOnce(url: string): Promise<number> {
  const get = url.startsWith('https:') ? httpsGet : httpGet
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    request.on('error', reject)
  })
}
