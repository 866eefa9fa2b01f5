/** The metrics of alerts: how many there are, and whether they are evaluated and sent in time. */
import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../../platform/db/open.ts'

/**
 * Adds the gauges of alerts to a registry. `readCounts` counts the alerts, and may return the same counts again for
 * some seconds.
 */
export function alertGauges(registry: Registry, readCounts: () => Promise<AlertCounts>, now: () => number): void {
  const registers = [registry]
  new Gauge({
    name: 'svc_alerts',
    help: 'Alerts that have not ended, by phase: pending, open, closing, calm.',
    labelNames: ['phase'],
    registers,
    async collect() {
      this.reset()
      for (const { phase, count } of (await readCounts()).alerts) this.set({ phase }, Number(count))
    },
  })
  const plain: [name: string, help: string, value: (counts: AlertCounts) => number | undefined][] = [
    [
      'svc_alert_deliveries_waiting',
      'Messages about alerts that wait for their first or next try.',
      ({ waiting }) => waiting,
    ],
    [
      'svc_alert_delivery_overdue_seconds',
      'The time by which the earliest of these messages is overdue; 0 if none is.',
      ({ dueAt }) => (dueAt === null ? 0 : Math.max(0, (now() - dueAt) / 1000)),
    ],
    [
      'svc_alert_deliveries_overdue',
      'Messages about alerts that should have been tried more than a minute ago.',
      ({ overdue }) => overdue.deliveries,
    ],
    [
      'svc_alert_overdue_workspaces',
      'Workspaces, the service itself included, that these messages belong to.',
      ({ overdue }) => overdue.workspaces,
    ],
    [
      'svc_alert_evaluation_age_seconds',
      'The time since any node last completed an evaluation of alerts.',
      ({ evaluatedAt }) => (evaluatedAt === null ? undefined : (now() - evaluatedAt) / 1000),
    ],
  ]
  for (const [name, help, value] of plain)
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.reset()
        const found = value(await readCounts())
        if (found !== undefined) this.set(found)
      },
    })
}

type AlertCounts = Awaited<ReturnType<typeof countAlerts>>

/**
 * Counts the alerts that have not ended and the messages that wait, and reads when alerts were last evaluated. Each
 * count uses an index.
 */
export async function countAlerts(db: Db, now: number) {
  const alerts = await db
    .selectFrom('alert')
    .select((eb) => ['phase', eb.fn.countAll<number>().as('count')])
    .where('ended_at', 'is', null)
    .groupBy('phase')
    .execute()
  const waiting = await db
    .selectFrom('alert_delivery')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('due_at').as('dueAt')])
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  const lease = await db.selectFrom('alert_lease').select('turned_at').executeTakeFirst()
  const { count = 0, dueAt = null } = waiting ?? {}
  return {
    alerts,
    waiting: Number(count),
    dueAt,
    evaluatedAt: lease?.turned_at ?? null,
    overdue: await overdueAt(db, now),
  }
}

/**
 * Counts the messages that should have been tried more than a minute ago, and their workspaces, where the service
 * itself counts as one. Partial indexes on waiting messages serve both queries, since there may be hundreds of
 * thousands of messages.
 */
export async function overdueAt(db: Db, now: number): Promise<{ deliveries: number; workspaces: number }> {
  const since = now - overdueAfterMs
  const { count } = await db
    .selectFrom('alert_delivery')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'waiting')
    .where('due_at', '<', since)
    .executeTakeFirstOrThrow()
  if (Number(count) === 0) return { deliveries: 0, workspaces: 0 }
  const scopes = await db
    .selectFrom('alert_channel')
    .select('scope')
    .distinct()
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('alert_delivery')
          .select('alert_delivery.id')
          .whereRef('channel_id', '=', 'alert_channel.id')
          .where('state', '=', 'waiting')
          .where('due_at', '<', since),
      ),
    )
    .execute()
  return { deliveries: Number(count), workspaces: scopes.length }
}

const overdueAfterMs = 60_000
