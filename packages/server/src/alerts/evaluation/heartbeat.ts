/**
 * The heartbeat of alerts: once a minute the node that evaluates alerts calls an address that the operator set, as long
 * as alerts are evaluated, stored and sent. The receiver of these calls can raise an alarm when they stop.
 */
import type { Logger } from 'pino'
import { answerWords, type TryResult } from '../../deliveries/outbox.ts'
import { ping } from '../../deliveries/send.ts'
import type { Db } from '../../platform/db/open.ts'
import { maySendHeartbeat } from './service.ts'

const everyMs = 60_000
const withinMs = 10_000

interface HeartbeatParts {
  /** The address to call; undefined if the operator set none. */
  url: string | undefined
  log: Pick<Logger, 'warn'>
  /** When this node last checked for due deliveries; null if it never did. */
  lookedAt: () => number | null
  /** Aborted when the service stops. */
  stop?: AbortSignal | undefined
  /** The milliseconds that a call may take. */
  withinMs?: number
}

interface Heartbeat {
  /** Starts a call if one is due. It does not wait for the call, so a receiver that hangs delays no evaluation. */
  sendIfDue(db: Db, now: number): Promise<void>
  /** Resolves when no call is in progress. */
  settled(): Promise<void>
}

export function createHeartbeat({ url, log, lookedAt, stop, withinMs: within = withinMs }: HeartbeatParts): Heartbeat {
  let triedAt = Number.NEGATIVE_INFINITY
  let calling: Promise<void> | undefined
  return {
    async sendIfDue(db, now) {
      // If the clock was set back, the next call is due at once.
      if (url === undefined || calling || (now >= triedAt && now - triedAt < everyMs)) return
      triedAt = now
      const { turned_at = null } = (await db.selectFrom('alert_lease').select('turned_at').executeTakeFirst()) ?? {}
      // `turned_at` is written when an evaluation ends, so it is also the time of a successful write.
      const alive = {
        wroteAt: turned_at,
        evaluatedAt: turned_at,
        lookedAt: lookedAt(),
        dueAt: await earliestDue(db, now),
      }
      if (!maySendHeartbeat(alive, now))
        return log.warn({ ...alive }, 'no heartbeat is sent: alerts are not evaluated or not sent')
      calling = ping(url, { stop, withinMs: within }).then((answer) => {
        calling = undefined
        note(answer)
      })
    },
    settled: async () => calling,
  }

  function note(answer: TryResult): void {
    if (answer.is === 'stopped') return
    if (answer.is !== 'status') log.warn({ reason: answerWords(answer) }, 'the heartbeat did not arrive')
    else if (answer.status < 200 || answer.status > 299)
      log.warn({ status: answer.status }, 'the heartbeat was not taken')
  }
}

/**
 * The earliest time at which a message that still waits was due; null if there is none. A workspace is left out if one
 * of its channels has a due message and does not work, since that channel delays the messages to the others.
 */
async function earliestDue(db: Db, now: number): Promise<number | null> {
  const channels = await db
    .selectFrom('alert_channel')
    .select(['scope', 'works'])
    .select((eb) =>
      eb
        .selectFrom('alert_delivery')
        .select('due_at')
        .whereRef('channel_id', '=', 'alert_channel.id')
        .where('state', '=', 'waiting')
        .orderBy('due_at')
        .limit(1)
        .as('due'),
    )
    .where('enabled', '=', 1)
    .execute()
  const due = channels.filter((channel) => channel.due !== null && channel.due <= now)
  const failing = new Set(due.filter(({ works }) => works !== 1).map(({ scope }) => scope))
  const times = due.filter(({ scope }) => !failing.has(scope)).map((channel) => channel.due ?? 0)
  return times.length === 0 ? null : Math.min(...times)
}
