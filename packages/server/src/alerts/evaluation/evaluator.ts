/**
 * Evaluates alerts: every 15 s the node that holds the lease judges the rules of every workspace and stores the result.
 * If that node dies, another one takes the lease and continues from what is stored.
 */
import type { Logger } from 'pino'
import type { Db, Store } from '../../platform/db/open.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { createLoop } from '../../platform/loop.ts'
import { scopeOf, serviceScope } from '../scope.ts'
import { evaluateScope } from './evaluate.ts'
import { evaluationLeaseMs, returnLease, takeLease } from './lease.ts'
import type { NamedScope } from './rule-finding.ts'
import type { ServiceFacts } from './service.ts'

/**
 * The milliseconds between two evaluations, and from the start to the first one. The latter is short, so that a service
 * that restarts often evaluates too.
 */
const [everyMs, firstMs] = [15_000, 2000]

interface EvaluatorParts {
  store: Store
  log: Logger
  now: () => number
  /** The unique id of this node. */
  node: string
  /** The origin of the service, with which links in messages start. */
  baseUrl: string
  /** Called after all workspaces and the service itself were evaluated. */
  heartbeat?: (db: Db, now: number) => Promise<void>
  /** Called if an evaluation of a workspace has changed anything that pages show. */
  changed?: (workspaceId: string) => void
  /** Corrects stored times after a step of the clock. Each evaluation waits for this first. */
  checkClock?: () => Promise<void>
  /** Reads the facts by which the service itself is judged. */
  service: (db: Db) => Promise<ServiceFacts>
}

interface Evaluator {
  start(): void
  /** Runs one evaluation now, for tests. Resolves with false if another node holds the lease. */
  turn(): Promise<boolean>
  stop(): Promise<void>
}

export function createEvaluator(evaluating: EvaluatorParts): Evaluator {
  const { store, log, now, node, baseUrl, service, heartbeat, changed, checkClock } = evaluating
  let stopped = false
  const turns = createLoop(
    () => everyMs,
    turn,
    (error) => log.warn({ err: error }, 'alerts could not be evaluated; tried again soon'),
  )
  return { start: () => turns.start(firstMs), turn: turns.run, stop }

  async function turn(): Promise<boolean> {
    await checkClock?.()
    let leasedAt = now()
    if (!(await takeLease(store.db, node, leasedAt))) return false
    for (const scope of await readScopes(store)) {
      if (stopped) return true
      if (now() - leasedAt > evaluationLeaseMs / 3) {
        leasedAt = now()
        if (!(await takeLease(store.db, node, leasedAt))) return false
      }
      await evaluate(scope)
    }
    await evaluate(serviceNamedScope, await service(store.db))
    await eraseOldAlerts(store.db, now())
    await store.db.updateTable('alert_lease').set({ turned_at: now() }).where('id', '=', 1).execute()
    await heartbeat?.(store.db, now())
    return true
  }

  /**
   * Evaluates the alerts of one workspace, or of the service itself. An error is only logged, so that the other
   * workspaces are still evaluated.
   */
  async function evaluate(scope: NamedScope, facts?: ServiceFacts): Promise<void> {
    try {
      const evaluated = await evaluateScope(store, scope, { baseUrl, now: now(), ...(facts && { service: facts }) })
      if (scope.workspaceId !== null && evaluated.changed + evaluated.messages > 0) changed?.(scope.workspaceId)
    } catch (error) {
      log.warn({ err: error, workspace: scope.slug }, 'the alerts of a workspace could not be evaluated')
    }
  }

  async function stop(): Promise<void> {
    stopped = true
    await turns.stop()
    await returnLease(store.db, node).catch((error) =>
      log.debug({ err: error }, 'the lease of the evaluation runs out by itself'),
    )
  }
}

const serviceNamedScope: NamedScope = { ...scopeOf({ id: serviceScope }), slug: serviceScope, active: true }

/** The workspaces that are not deleted and have agents, or alerts or mutes that have not ended. */
async function readScopes({ db }: Store): Promise<NamedScope[]> {
  const rows = await db
    .selectFrom('workspace')
    .leftJoin('workspace_product', (join) =>
      join.onRef('workspace_product.workspace_id', '=', 'workspace.id').on('product_id', '=', 'svc'),
    )
    .select(['workspace.id', 'slug', 'activated_at'])
    .where('workspace.id', 'not in', db.selectFrom('workspace_deleted').select('workspace_id'))
    .where((eb) =>
      eb.or([
        eb.exists(eb.selectFrom('agent').select('agent.id').whereRef('agent.workspace_id', '=', 'workspace.id')),
        eb.exists(
          eb
            .selectFrom('alert')
            .select('alert.id')
            .whereRef('alert.workspace_id', '=', 'workspace.id')
            .where('ended_at', 'is', null),
        ),
        eb.exists(
          eb
            .selectFrom('alert_mute')
            .select('alert_mute.id')
            .whereRef('alert_mute.workspace_id', '=', 'workspace.id')
            .where('ended_at', 'is', null),
        ),
      ]),
    )
    .orderBy('workspace.id')
    .execute()
  return rows.map(({ id, slug, activated_at }) => ({ ...scopeOf({ id }), slug, active: activated_at !== null }))
}

// Deletes alerts and mutes that ended more than 400 days ago, at most 500 of each per call.

const keptDays = 400
const rowsAtOnce = 500

async function eraseOldAlerts(db: Db, now: number): Promise<void> {
  const until = now - keptDays * dayMs
  const old = db.selectFrom('alert').select('id').where('ended_at', 'is not', null).where('ended_at', '<', until)
  await db.deleteFrom('alert').where('id', 'in', old.orderBy('ended_at').limit(rowsAtOnce)).execute()
  const mutes = db.selectFrom('alert_mute').select('id').where('ended_at', '<', until)
  await db.deleteFrom('alert_mute').where('id', 'in', mutes.limit(rowsAtOnce)).execute()
}
