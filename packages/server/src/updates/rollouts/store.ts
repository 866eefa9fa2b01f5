/** Starts, pauses, resumes and cancels rollouts for people. The sweeper advances them (advance.ts). */
import type { NewRollout, RolloutKind, RolloutSeen } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import type { Db } from '../../platform/db/open.ts'
import type { RolloutDbRow } from '../../platform/db/tables.ts'
import { betweenTransactions, type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import { newId, type WorkspaceRef } from '../../platform/ids.ts'
import { refuse } from '../../platform/verdict.ts'
import { addMembers, unfinishedRollouts } from './members.ts'
import {
  defaultWatchSeconds,
  emptyReason,
  maxWatchSeconds,
  namedVersionOf,
  type PlannedRollout,
  planRollout,
  type RolloutRefusal,
} from './plan.ts'
import { isRolloutInProgress, unfinishedStates } from './states.ts'
import { lockRollout, withdrawWishes } from './withdraw.ts'

/** The context of a change that is made in several short transactions. */
type RolloutContext = Omit<ChangeContext, 'db'> & {
  db: Db | RunInTransaction
  /** The rollout as the person saw it. If it has changed since, the change is refused. */
  expected?: RolloutSeen | undefined
}

/** Returns the number of rollouts of a workspace that halted and have not been resumed or cancelled. */
export async function countHaltedRollouts(db: Db, workspaceId: string): Promise<number> {
  const halted = await db
    .selectFrom('rollout')
    .select(({ fn }) => fn.countAll<number | string>().as('number'))
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'halted')
    .executeTakeFirst()
  return Number(halted?.number ?? 0)
}

/**
 * The maximum number of plans for one start. After that the start is refused, because other rollouts keep starting and
 * ending.
 */
const maxPlans = 5

/**
 * Stores a rollout with its agents. The first wave starts when the rollout is next advanced (advance.ts). A rollout is
 * planned outside of the transaction that stores it, and planned again if the plan no longer holds then.
 */
export async function startRollout(
  { db: on, by, now }: RolloutContext,
  workspace: { id: string },
  wanted: NewRollout,
): Promise<Verdict<RolloutDbRow, RolloutRefusal>> {
  const ends = await transaction(on, (trx) => lockEnding(trx, workspace, wanted.end))
  if (!ends.ok) return ends
  for (let plans = 0; plans < maxPlans; plans++) {
    const planned = await planRollout(on, workspace, wanted, now)
    if (!planned.ok) return planned
    const { named, waves, leftOut } = planned.value
    if (waves.length === 0) return refuse('rollout_empty', emptyReason(named, leftOut))
    await betweenTransactions(on)
    const stored = await transaction(on, (trx) => storePlanned({ db: trx, by, now }, workspace, wanted, planned.value))
    if (stored === undefined) continue
    if (!stored.ok) return stored
    for (const ended of stored.value.ends) await withdrawWishes(on, ended, { by, now })
    return { ok: true, value: stored.value.rollout }
  }
  return refuse('conflict', 'Other rollouts started or ended meanwhile. Nothing was changed: try again.')
}

/** Stores a rollout as it was planned; undefined if the plan no longer holds. */
async function storePlanned(
  { db: trx, by, now }: ChangeContext,
  workspace: { id: string },
  wanted: NewRollout,
  { named, waves, leftOut, others }: PlannedRollout,
): Promise<Verdict<{ rollout: RolloutDbRow; ends: RolloutDbRow[] }, RolloutRefusal> | undefined> {
  const ends = await lockEnding(trx, workspace, wanted.end)
  if (!ends.ok) return ends
  // The lock on the workspace prevents that two rollouts that start at the same time take the same agent.
  await lockWorkspace(trx, workspace.id)
  const still = await namedVersionOf(trx, workspace, wanted)
  if (!still.ok) return still
  const othersNow = await unfinishedRollouts(trx, workspace, wanted.kind)
  if (still.value.version !== named.version || othersNow.join() !== others.join()) return undefined
  for (const other of ends.value) await cancelInTransaction(trx, other, { by, now })
  const rollout: RolloutDbRow = {
    id: newId(now),
    workspace_id: workspace.id,
    kind: named.kind,
    blueprint: named.blueprint,
    version: named.version,
    waves: JSON.stringify(waves.map(({ upTo }) => upTo)),
    by_hand: wanted.byHand ? 1 : 0,
    watch_seconds: Math.min(maxWatchSeconds, wanted.watchSeconds ?? defaultWatchSeconds),
    state: 'running',
    why: null,
    wave: 1,
    wave_kept_at: null,
    created_at: now,
    created_by: by.id,
    created_by_name: by.name,
    continued_by: null,
    continued_by_name: null,
    changed_at: now,
  }
  await trx.insertInto('rollout').values(rollout).execute()
  for (const [i, { agents }] of waves.entries()) await addMembers(trx, rollout, { wave: i + 1, agents })
  const apart = Map.groupBy(leftOut, ({ leftOut: why }) => JSON.stringify([why?.message, why?.rollout?.id]))
  for (const agents of apart.values()) await addMembers(trx, rollout, { wave: 0, agents, why: agents[0]?.leftOut })
  const reached = waves.reduce((sum, { agents }) => sum + agents.length, 0)
  const details = { agents: reached, waves: waves.map(({ upTo }) => upTo) }
  await auditRollout(trx, rollout, { by, now, action: 'rollout.started' }, details)
  return { ok: true, value: { rollout, ends: ends.value } }
}

/**
 * Locks the rollouts that a new rollout ends, sorted by id and before the workspace, so that it cannot deadlock with
 * advance.ts. Rollouts that have already ended are left out of the result.
 */
async function lockEnding(
  trx: Db,
  workspace: { id: string },
  ids: readonly string[] = [],
): Promise<Verdict<RolloutDbRow[], RolloutRefusal>> {
  const ends: RolloutDbRow[] = []
  for (const id of [...new Set(ids)].sort()) {
    const rollout = await lockRollout(trx, workspace, id)
    if (!rollout) return refuse('rollout_unknown', `There is no rollout ${shown(id)} to end in this workspace.`)
    if (unfinishedStates.includes(rollout.state)) ends.push(rollout)
  }
  return { ok: true, value: ends }
}

async function cancelInTransaction(
  trx: Db,
  rollout: RolloutDbRow,
  { by, now }: { by: Actor; now: number },
): Promise<void> {
  await moveRollout(trx, rollout, { state: 'cancelled', why: `By ${by.name}.`, wave_kept_at: null }, now)
  await auditRollout(trx, rollout, { by, now, action: 'rollout.cancelled' })
}

/** Pauses a rollout. Wishes that were not offered yet are withdrawn until it resumes. */
export const pauseRollout = (context: RolloutContext, workspace: WorkspaceRef, id: string) =>
  change(context, workspace, id, async (_, rollout) => {
    if (!isRolloutInProgress(rollout.state)) {
      return refuse('rollout_not_running', `The rollout is ${rollout.state}: only a running rollout can be paused.`)
    }
    return { ok: true, value: { state: 'paused', action: 'rollout.paused' } }
  })

/**
 * Refuses to change a rollout that is no longer as the person saw it; undefined if the change is allowed. A rollout
 * that halted again has changed, too, because the person has not seen the new reason.
 */
export function refuseChangedRollout(
  { state, wave, changed_at }: Pick<RolloutDbRow, 'state' | 'wave' | 'changed_at'>,
  expected: RolloutSeen | undefined,
) {
  if (!expected) return undefined
  if (expected.state === state && expected.wave === wave) {
    if (state !== 'halted' || (expected.changedAt ?? changed_at) === changed_at) return undefined
    return refuse('rollout_changed', 'Nothing was changed: the rollout has halted again since, for another reason.')
  }
  const was = `${expected.state} in wave ${expected.wave}`
  return refuse('rollout_changed', `Nothing was changed: the rollout was ${was}, and is now ${state} in wave ${wave}.`)
}

/**
 * Resumes a paused or halted rollout, or starts the next wave of a rollout that runs or waits for a person. Failures
 * before a halt do not halt the rollout again. A halted rollout whose agents all have an outcome cannot be resumed.
 */
export const continueRollout = ({ by, ...context }: RolloutContext, workspace: WorkspaceRef, id: string) =>
  change({ by, ...context }, workspace, id, async (trx, rollout) => {
    const { state, wave } = rollout
    const waves = (JSON.parse(rollout.waves) as string[]).length
    if (state === 'halted') {
      if (!(await isAnyLeft(trx, rollout))) return refuse('rollout_not_running', nothingLeftText)
      await trx
        .updateTable('rollout_agent')
        .set({ forgiven: 1 })
        .where('rollout_id', '=', id)
        .where('state', 'in', ['rolled_back', 'failed', 'worse'])
        .execute()
    }
    const goesOn = isRolloutInProgress(state)
    if (goesOn && wave === waves) return refuse('rollout_not_running', 'The last wave is in progress.')
    const next = goesOn ? { wave: wave + 1 } : {}
    const led = { continued_by: by.id, continued_by_name: by.name }
    return { ok: true, value: { state: 'running', why: null, ...next, ...led, action: 'rollout.continued' } }
  })

export const nothingLeftText =
  'All agents of the rollout have an outcome: nothing is left to continue. End the rollout.'

export const nothingWaitsText = 'No agent of the rollout waits for the end of a watch.'
export const tooOldText = 'The runtimes of its agents are too old to end a watch.'

const isAnyLeft = async (trx: Db, rollout: { id: string }): Promise<boolean> =>
  (await trx
    .selectFrom('rollout_agent')
    .select('agent_id')
    .where('rollout_id', '=', rollout.id)
    .where('state', 'in', ['untouched', 'wished'])
    .executeTakeFirst()) !== undefined

/**
 * Ends a rollout. Its wishes that were not offered yet are withdrawn, with `withdraw` also those that were offered but
 * not carried out. The latter are withdrawn before the rollout ends, so that a person can end it again if the service
 * is killed meanwhile.
 */
export async function cancelRollout(
  context: RolloutContext,
  workspace: WorkspaceRef,
  id: string,
  withdraw: boolean,
): Promise<Verdict<RolloutDbRow, RolloutRefusal>> {
  const { by } = context
  if (withdraw) {
    // A halted rollout stays halted. If it were paused, resuming it would not forgive its failures, and it would halt
    // again. `changed_at` stays, too, so that it is still the same halt for people who have seen it.
    const pauses = async (_: Db, { state, changed_at }: RolloutDbRow) => ({
      ok: true as const,
      value: state === 'halted' ? { state, changed_at } : { state: 'paused' as const },
    })
    const paused = await change(context, workspace, id, pauses, { alsoOffered: true })
    if (!paused.ok) return paused
  }
  return change(withdraw ? { ...context, expected: undefined } : context, workspace, id, async () => ({
    ok: true,
    value: { state: 'cancelled', why: `By ${by.name}.`, action: 'rollout.cancelled' },
  }))
}

/** The columns that change. Without an `action`, nothing is written to the activity. */
type RolloutChange = Partial<RolloutDbRow> & { action?: string }

/**
 * Changes a rollout. If it does not run afterwards, its wishes that were not offered yet are withdrawn, with
 * `alsoOffered` also those that were offered but not carried out.
 */
async function change(
  { db: on, by, now, expected }: RolloutContext,
  workspace: WorkspaceRef,
  id: string,
  decide: (trx: Db, rollout: RolloutDbRow) => Promise<Verdict<RolloutChange, RolloutRefusal>>,
  how: { alsoOffered?: boolean } = {},
): Promise<Verdict<RolloutDbRow, RolloutRefusal>> {
  const changed = await transaction(on, async (trx): Promise<Verdict<RolloutDbRow, RolloutRefusal>> => {
    const rollout = await lockRollout(trx, workspace, id)
    if (!rollout) return refuse('rollout_unknown', 'There is no such rollout.')
    if (!unfinishedStates.includes(rollout.state)) {
      return refuse('rollout_over', `The rollout is already ${rollout.state}.`)
    }
    const verdict = refuseChangedRollout(rollout, expected) ?? (await decide(trx, rollout))
    if (!verdict.ok) return verdict
    const { action, ...columns } = verdict.value
    const after = await moveRollout(trx, rollout, { wave_kept_at: null, ...columns }, now)
    if (action !== undefined) await auditRollout(trx, rollout, { by, now, action })
    return { ok: true, value: after }
  })
  if (changed.ok && changed.value.state !== 'running') await withdrawWishes(on, changed.value, { by, now, ...how })
  return changed
}

/** Changes columns of a rollout, such as its state or wave, and returns the new row. */
export async function moveRollout(
  trx: Db,
  rollout: RolloutDbRow,
  columns: Partial<RolloutDbRow>,
  now: number,
): Promise<RolloutDbRow> {
  const set = { changed_at: now, ...columns }
  await trx.updateTable('rollout').set(set).where('id', '=', rollout.id).execute()
  return { ...rollout, ...set }
}

/** Writes a line about a rollout to the activity. */
export const auditRollout = (
  trx: Db,
  rollout: RolloutDbRow,
  { by, now, action }: { by: Actor; now: number; action: string },
  details: object = {},
) =>
  audit(trx, {
    workspaceId: rollout.workspace_id,
    at: now,
    by,
    action,
    subject:
      rollout.kind === 'blueprint' ? `blueprint ${rollout.blueprint}@${rollout.version}` : `runtime ${rollout.version}`,
    details: { rollout: rollout.id, of: rollout.kind, version: rollout.version, ...details },
  })

/** True if an unfinished rollout updates agents to this version of a blueprint. */
export const isRollingOut = async (
  db: Db,
  workspace: WorkspaceRef,
  blueprint: string,
  version: string,
): Promise<boolean> =>
  (await db
    .selectFrom('rollout')
    .select('id')
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', 'blueprint' satisfies RolloutKind)
    .where('blueprint', '=', blueprint)
    .where('version', '=', version)
    .where('state', 'in', unfinishedStates)
    .executeTakeFirst()) !== undefined
