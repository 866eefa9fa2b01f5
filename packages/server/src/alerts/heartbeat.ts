/**
 * The heartbeat of alerts: once a minute the node that evaluates alerts calls an address outside, as long as alerts are
 * evaluated, stored and sent. The receiver of these calls can raise an alarm when they stop.
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
  /** The address to call; undefined if the operator set none. */
  url: string | undefined
  log: Pick<Logger, 'warn'>
  /** Calls the address and returns the status of the response; tests replace it. */
  call?: (url: string) => Promise<number>
}

/** Makes the function that is called after each evaluation. It resolves when the call has ended, if one was due. */
export function newHeartbeat({ url, log, call = callOnce }: Beating): (db: Db, now: number) => Promise<void> {
  let beatAt = Number.NEGATIVE_INFINITY
  return async (db, now) => {
    // If the clock was set back, the next call is due at once.
    if (url === undefined || (now >= beatAt && now - beatAt < everyMs)) return
    const { turned_at } = (await db.selectFrom('alert_lease').select('turned_at').executeTakeFirst()) ?? {
      turned_at: null,
    }
    const oldest = await db
      .selectFrom('alert_delivery')
      .select(({ fn }) => fn.min('due_at').as('at'))
      .where('state', '=', 'waiting')
      .executeTakeFirst()
    // Each evaluation ends with a write, so its time is also the time of the last successful write.
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

/**
 * Calls the address. The operator set it, so unlike the address of a channel it may be in any network. The body of the
 * response is not read.
 */
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
