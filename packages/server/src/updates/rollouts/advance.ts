/**
 * Advances rollouts in short transactions, on any node. A transaction locks the row of its rollout, and other nodes
 * skip a locked rollout. Agents are judged outside of these transactions, because on SQLite reports wait for each
 * transaction. A step is carried out only if the rollout has not changed since its agents were read.
 */
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import { findRole, roleToAct } from '../../people/workspaces/store.ts'
import { type Attempt, attemptOrThrow } from '../../platform/attempt.ts'
import type { Live } from '../../platform/base.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import type { RolloutAgentDbRow, RolloutDbRow } from '../../platform/db/tables.ts'
import { betweenTransactions, transaction } from '../../platform/db/transaction.ts'
import { servedRelease } from '../releases/store.ts'
import { wishBlueprintInTransaction, wishRuntimeInTransaction } from '../wishes/store.ts'
import { readFreeTrials } from '../wishes/trials.ts'
import { judgeRollout, type RolloutStep } from './judge.ts'
import { freshMs, leaveOutReason, levelIn } from './members.ts'
import { judgeAgents, lockUnchanged, memberQuery, tryLockRollout } from './outcomes.ts'
import { auditRollout, moveRollout } from './store.ts'
import { withdrawWishes, withWishesLeft } from './withdraw.ts'

/** The maximum number of agents for which a version is wished in one transaction. */
const agentsAtOnce = 100
const service = { id: null, name: 'service' }

interface AdvancedRollout {
  workspaceId: string
  /** The ids of the agents for which the version was wished, or that were left out. */
  agents: string[]
  /** True if the rollout or the outcomes of its agents changed. */
  moved: boolean
}

/**
 * Advances every running rollout as far as possible. For rollouts that stopped, records late outcomes, and withdraws
 * wishes that were not withdrawn yet. The result also contains the steps of rollouts that failed in a later step.
 */
export async function advanceRollouts(
  db: Db,
  now: number,
  attempt: Attempt = attemptOrThrow,
): Promise<AdvancedRollout[]> {
  const running = await db.selectFrom('rollout').select('id').where('state', '=', 'running').execute()
  const late = await withLateAgents(db, now)
  const left = await withWishesLeft(db)
  const advanced: AdvancedRollout[] = []
  for (const { id } of running) await attempt(id, () => advanceRollout(db, { id, now, onStep }))
  for (const { id } of late) await attempt(`late ${id}`, () => settleLate(db, id, { now, onStep }))
  for (const rollout of left) await attempt(`left ${rollout.id}`, () => withdrawLeft(db, rollout, { now, onStep }))
  return advanced

  function onStep(step: AdvancedRollout): void {
    advanced.push(step)
  }
}

interface AdvanceHow {
  now: number
  /** Called at the beginning of each step, so that pages are notified even if the step fails later. */
  onStep: (step: AdvancedRollout) => void
}

/**
 * Advances one rollout as far as possible, in at most `max` steps. There is no step if the rollout is not running, or
 * if another node is working on it. Returns true if another step can follow.
 */
async function advanceRollout(
  db: Db,
  { id, max = Infinity, ...how }: AdvanceHow & { id: string; max?: number },
): Promise<boolean> {
  let more = true
  for (let steps = 0; more && steps < max; steps++) {
    more = await advance(db, id, how)
    if (more) await betweenTransactions(db)
  }
  return more
}

interface AdvanceParts {
  store: Store
  live: Live
}

/**
 * Advances a rollout that a person just changed, without waiting for the sweeper, and updates the open pages. The
 * version is wished for at most `maxAgents`, rounded up to a whole step. Returns true if another step can follow.
 */
export async function advanceNow(
  { store, live }: AdvanceParts,
  workspace: { id: string },
  id: string,
  { now, maxAgents = Infinity }: { now: number; maxAgents?: number | undefined },
): Promise<boolean> {
  const advanced: AdvancedRollout[] = []
  const onStep = (step: AdvancedRollout) => void advanced.push(step)
  try {
    return await advanceRollout(store.db, { id, now, onStep, max: Math.ceil(maxAgents / agentsAtOnce) })
  } finally {
    announceAdvanced(live, advanced)
    live.listChanged(workspace.id)
  }
}

/** Notifies the open pages of the agents and rollouts that have changed. */
export function announceAdvanced(live: Live, advanced: readonly AdvancedRollout[]): void {
  for (const { workspaceId, agents, moved } of advanced) {
    for (const agent of agents) live.reported(workspaceId, agent)
    for (const agent of agents) live.changed(workspaceId, agent)
    if (moved) live.listChanged(workspaceId)
  }
}

/** Finds rollouts that are not running, but have agents that reported recently and have no outcome yet. */
const withLateAgents = (db: Db, now: number) =>
  db
    .selectFrom('rollout')
    .innerJoin('rollout_agent', 'rollout_agent.rollout_id', 'rollout.id')
    .innerJoin('agent_report', 'agent_report.agent_id', 'rollout_agent.agent_id')
    .select('rollout.id')
    .distinct()
    .where('rollout.state', '<>', 'running')
    .where('rollout_agent.state', '=', 'wished')
    .where('received_at', '>', now - freshMs)
    .execute()

/**
 * Records the outcomes of agents that continued with the update after their rollout had stopped. Nothing else about the
 * rollout changes.
 */
async function settleLate(db: Db, id: string, { now, onStep }: AdvanceHow): Promise<void> {
  const rollout = await db.selectFrom('rollout').selectAll().where('id', '=', id).executeTakeFirst()
  if (!rollout || rollout.state === 'running') return
  const step = { workspaceId: rollout.workspace_id, agents: [], moved: true }
  onStep(step)
  const judged = await judgeAgents(db, rollout, now, true)
  step.moved = judged?.changed ?? false
}

async function withdrawLeft(db: Db, rollout: RolloutDbRow, { now, onStep }: AdvanceHow): Promise<void> {
  onStep({ workspaceId: rollout.workspace_id, agents: [], moved: true })
  await withdrawWishes(db, rollout, { by: service, now })
}

/** Advances a rollout by one step. Returns true if another step can follow at once. */
async function advance(db: Db, id: string, { now, onStep }: AdvanceHow): Promise<boolean> {
  const begun = await transaction(db, (trx) => begin(trx, id, now))
  if (!begun) return false
  const { rollout, wished, ended } = begun
  // The rollout counts as moved until the step has ended without error.
  const step = { workspaceId: rollout.workspace_id, agents: wished, moved: true }
  onStep(step)
  if (ended) await withdrawWishes(db, rollout, { by: service, now })
  if (ended) return false
  if (wished.length > 0) {
    step.moved = false
    return true
  }
  const { moved, more } = await judge(db, rollout, now)
  step.moved = moved
  return more
}

interface BegunWave {
  rollout: RolloutDbRow
  /** The ids of the agents for which the version was wished, or that were left out. */
  wished: string[]
  /** True if the rollout was cancelled or halted. */
  ended: boolean
}

/** Begins a step: ends a rollout that cannot go on, or wishes the version for some agents. */
async function begin(trx: Db, id: string, now: number): Promise<BegunWave | undefined> {
  const rollout = await tryLockRollout(trx, id)
  if (rollout?.state !== 'running') return undefined
  if ((await cancelIfReplaced(trx, rollout, now)) || (await haltIfOrphaned(trx, rollout, now)))
    return { rollout, wished: [], ended: true }
  return { rollout, wished: await wishSome(trx, rollout, now), ended: false }
}

/**
 * Cancels a runtime rollout if the service serves another release. Wishes for the old release that were already offered
 * are dropped with the next report of their agents (3.4).
 */
async function cancelIfReplaced(trx: Db, rollout: RolloutDbRow, now: number): Promise<boolean> {
  if (rollout.kind !== 'runtime') return false
  const served = await servedRelease(trx)
  if (served?.version === rollout.version) return false
  const why = served ? `The service serves ${served.version} now.` : 'The service no longer serves a runtime.'
  await moveRollout(trx, rollout, { state: 'cancelled', why }, now)
  await auditRollout(trx, rollout, { by: service, now, action: 'rollout.cancelled' }, { why })
  return true
}

/**
 * Halts the rollout when the person responsible for it is no longer an admin or is disabled, until another admin
 * resumes it.
 */
async function haltIfOrphaned(trx: Db, rollout: RolloutDbRow, now: number): Promise<boolean> {
  const { id, name } = leaderOf(rollout)
  if (id === null) return false
  if ((await roleToAct(trx, rollout.workspace_id, id)) === 'admin') return false
  const role = await findRole(trx, rollout.workspace_id, id)
  const did = rollout.continued_by_name === null ? 'started it' : 'resumed it'
  const lost =
    role === 'admin'
      ? 'was disabled by the operator'
      : `is no longer ${role ? 'an admin' : 'a member'} of this workspace`
  await halt(trx, rollout, `${name}, who ${did}, ${lost}.`, now)
  return true
}

/** The person who started the rollout or last resumed it; its wishes bear this name. The id of the operator is null. */
const leaderOf = (rollout: RolloutDbRow) =>
  rollout.continued_by_name === null
    ? { id: rollout.created_by, name: rollout.created_by_name }
    : { id: rollout.continued_by, name: rollout.continued_by_name }

async function halt(trx: Db, rollout: RolloutDbRow, why: string, now: number): Promise<void> {
  await moveRollout(trx, rollout, { state: 'halted', why, wave_kept_at: null }, now)
  await auditRollout(trx, rollout, { by: service, now, action: 'rollout.halted' }, { why })
}

/**
 * Wishes the version for the next agents whose wave has started, at most `agentsAtOnce` of them. The agents are updated
 * by ascending id. Reports lock agents in the same order, so the two cannot deadlock.
 */
async function wishSome(trx: Db, rollout: RolloutDbRow, now: number): Promise<string[]> {
  const due = await trx
    .selectFrom('rollout_agent')
    .innerJoin('agent', 'agent.id', 'rollout_agent.agent_id')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .selectAll('agent')
    .select('body')
    .where('rollout_id', '=', rollout.id)
    .where('rollout_agent.state', '=', 'untouched')
    .where('wave', '<=', rollout.wave)
    .orderBy('agent.id')
    .limit(agentsAtOnce)
    .execute()
  if (due.length === 0) return []
  if (rollout.kind === 'runtime') await lockWorkspace(trx, rollout.workspace_id)
  const by = leaderOf(rollout)
  const places = rollout.kind === 'runtime' ? await readFreeTrials(trx, rollout.workspace_id, now) : { free: 0 }
  const wishing = { by, now, rollout: rollout.id, silent: true, places }
  for (const agent of due) {
    const why =
      rollout.kind === 'blueprint' ? leaveOutReason(agent, { ...rollout, served: undefined })?.message : undefined
    const verdict =
      why !== undefined
        ? { ok: false as const, message: why }
        : rollout.kind === 'runtime'
          ? await wishRuntimeInTransaction(trx, agent, wishing)
          : await wishBlueprintInTransaction(trx, agent, wishOf(rollout), wishing)
    const set: Partial<RolloutAgentDbRow> = verdict.ok
      ? { state: 'wished', reason: null, wished_at: now, level_before: levelIn(agent.body), at: now }
      : { state: 'left_out', reason: verdict.message, at: now }
    await memberQuery(trx, rollout, agent.id).set(set).execute()
  }
  return due.map(({ id }) => id)
}

const wishOf = ({ version, blueprint }: RolloutDbRow) => ({ version, ...(blueprint !== null && { blueprint }) })

/** Judges the agents of a rollout, then the rollout itself, and carries out the step that follows. */
async function judge(db: Db, rollout: RolloutDbRow, now: number): Promise<{ moved: boolean; more: boolean }> {
  const judged = await judgeAgents(db, rollout, now)
  if (!judged) return { moved: false, more: false }
  const step = judgeRollout(courseOf(rollout), judged.members, judged.waitsFor, now)
  const moved = await transaction(db, async (trx) => {
    const same = await lockUnchanged(trx, rollout)
    return same && carryOut(trx, rollout, step, now)
  })
  if (step.is === 'halt' && moved) await withdrawWishes(db, rollout, { by: service, now })
  return { moved, more: moved && step.is === 'next' }
}

/** Carries out a step of a rollout. Returns true when the rollout changed. */
async function carryOut(trx: Db, rollout: RolloutDbRow, step: RolloutStep, now: number): Promise<boolean> {
  switch (step.is) {
    case 'wait':
      if (step.keptAt === rollout.wave_kept_at) return false
      await moveRollout(trx, rollout, { wave_kept_at: step.keptAt }, now)
      return true
    case 'halt':
      await halt(trx, rollout, step.why, now)
      return true
    case 'next':
      await moveRollout(trx, rollout, { wave: rollout.wave + 1, wave_kept_at: null }, now)
      return true
    case 'ask':
      await moveRollout(trx, rollout, { state: 'waiting', why: step.why }, now)
      return true
    case 'done':
      await moveRollout(trx, rollout, { state: 'done' }, now)
      await auditRollout(trx, rollout, { by: service, now, action: 'rollout.done' })
      return true
  }
}

const courseOf = (rollout: RolloutDbRow) => ({
  version: rollout.version,
  wave: rollout.wave,
  waves: (JSON.parse(rollout.waves) as string[]).length,
  byHand: rollout.by_hand === 1,
  watchMs: rollout.watch_seconds * 1000,
  keptAt: rollout.wave_kept_at,
})
