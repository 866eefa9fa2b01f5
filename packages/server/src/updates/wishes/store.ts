/**
 * Lets admins name a blueprint version for an agent (3.3), request a runtime update, withdraw a wish, or lift a hold
 * (3.4). Each is one transaction that locks the agent's row, so that it happens before or after a report, not during
 * one.
 */
import type { RolloutKind, RuntimeRefusal, UpdateKind } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import { runningVersion } from '../../fleet/versions/agents.ts'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import type { AgentRef } from '../../platform/ids.ts'
import { unknownAgent } from '../../platform/verdict.ts'
import { servedRelease } from '../releases/store.ts'
import { noteUpdate } from './events.ts'
import { judgeRuntimeRequest } from './judge.ts'
import { type RuntimeWish, readAttempts, type VersionWish, wishesIn } from './kept.ts'
import { neededSvcOf, whySvcTooOld } from './needs.ts'
import { lockRow, storeWishes } from './row.ts'
import { type TrialSlots, takeTrialSlot } from './trials.ts'

type WishRefusal = 'agent_unknown' | 'no_blueprint' | 'other_blueprint' | 'version_unknown' | 'svc_too_old'
/**
 * An agent after its wish was set or withdrawn. `made` is false if nothing changed: the same wish existed already, or
 * there was no wish to withdraw.
 */
export type WishedAgent = { agent: AgentRow; made: boolean }
/**
 * The person who sets or withdraws a wish, and the time. If a rollout does so, `rollout` is its id. With `silent` the
 * caller writes the audit entry.
 */
export interface WishContext {
  by: Actor
  now: number
  rollout?: string
  silent?: boolean
  /**
   * The number of free trial slots, which each runtime wish of a rollout reduces. Missing for a wish of an admin, which
   * needs no slot.
   */
  places?: TrialSlots
}

/** Sets the blueprint version that an agent should run (3.3). Naming the previous version rolls back. */
export const wishBlueprint = (
  { db, by, now }: ChangeContext,
  agent: AgentRef,
  wish: { version: string; blueprint?: string },
): Promise<Verdict<WishedAgent, WishRefusal>> =>
  transaction(db, (trx) => wishBlueprintInTransaction(trx, agent, wish, { by, now }))

/** Does the work of `wishBlueprint` in the caller's transaction. */
export async function wishBlueprintInTransaction(
  trx: Db,
  agentRef: AgentRef,
  { version, blueprint }: { version: string; blueprint?: string },
  context: WishContext,
): Promise<Verdict<WishedAgent, WishRefusal>> {
  const agent = await lockRow(trx, agentRef)
  if (!agent) return unknownAgent
  if (agent.blueprint === null) return noBlueprint(agent)
  if (blueprint !== undefined && blueprint !== agent.blueprint) return otherBlueprint(agent, blueprint)
  const manifest = await findManifest(trx, agent, version)
  if (manifest === undefined) {
    const message = `There is no version ${shown(version)} of ${agent.blueprint} here: upload it first.`
    return { ok: false, code: 'version_unknown', message }
  }
  const needed = runningVersion(agent) === version ? undefined : neededSvcOf(manifest)
  const old = needed && whySvcTooOld(agent, version, needed)
  if (old) return { ok: false, ...old }
  const wishes = wishesIn(agent.wishes)
  const before = wishes.blueprint
  if (before?.version === version) return { ok: true, value: { agent, made: false } }
  const { by, now, rollout } = context
  const offered = before?.offeredAt !== undefined && before.keptAt === undefined && before.version
  wishes.blueprint = {
    version,
    at: now,
    by: by.name,
    mark: readAttempts(agent.attempts).applied ?? null,
    ...(rollout !== undefined && { rollout }),
    ...(runningVersion(agent) === version && { keptAt: now }),
    ...(offered && { earlier: offered }),
  }
  const after = await storeWishes(trx, agent, wishes)
  await record(trx, agent, { ...context, of: 'blueprint', kind: 'wished', version, from: runningVersion(agent) })
  return { ok: true, value: { agent: after, made: true } }
}

/**
 * Withdraws the wish for a blueprint version (D24). A machine that has already put the new version in place finishes
 * the update (D31).
 */
export const clearBlueprintWish = (
  { db, by, now }: ChangeContext,
  agentRef: AgentRef,
): Promise<Verdict<WishedAgent, 'agent_unknown' | 'no_blueprint'>> =>
  transaction(db, (trx) => clearBlueprintWishInTransaction(trx, agentRef, { by, now }))

export async function clearBlueprintWishInTransaction(
  trx: Db,
  agentRef: AgentRef,
  context: WishContext,
): Promise<Verdict<WishedAgent, 'agent_unknown' | 'no_blueprint'>> {
  const agent = await lockRow(trx, agentRef)
  if (!agent) return unknownAgent
  if (agent.blueprint === null) return noBlueprint(agent)
  const { blueprint: wish, ...rest } = wishesIn(agent.wishes)
  if (!wish) return { ok: true, value: { agent, made: false } }
  const after = await storeWishes(trx, agent, rest)
  await record(trx, agent, {
    ...rolloutOf(wish),
    ...context,
    of: 'blueprint',
    kind: 'withdrawn',
    version: wish.version,
  })
  return { ok: true, value: { agent: after, made: true } }
}

/**
 * Records that the agent fetched the bundle of the wished version. Returns false if this was recorded before, or if the
 * agent already runs the version or has no wish.
 */
export const noteFetched = (db: Db, agentRef: { id: string }, now: number): Promise<boolean> =>
  transaction(db, async (trx) => {
    const agent = await lockRow(trx, agentRef)
    const wishes = wishesIn(agent?.wishes ?? null)
    const wish = wishes.blueprint
    if (!agent || !wish || wish.fetchedAt !== undefined || runningVersion(agent) === wish.version) return false
    wish.fetchedAt = now
    await storeWishes(trx, agent, wishes)
    const { version } = wish
    await noteUpdate(trx, agent, { at: now, of: 'blueprint', kind: 'fetched', version, ...rolloutOf(wish) })
    return true
  })

/**
 * Requests that an agent's runtime updates to the served version. The wish stores the agent's last outcome as its mark;
 * if there is already a wish for this version, the mark of that wish is kept (D34).
 */
export const wishRuntime = (
  { db, by, now }: ChangeContext,
  agentRef: AgentRef,
): Promise<Verdict<WishedAgent, 'agent_unknown' | RuntimeRefusal>> =>
  transaction(db, (trx) => wishRuntimeInTransaction(trx, agentRef, { by, now }))

/**
 * Does the work of `wishRuntime` in the caller's transaction. A wish of an admin may be offered at once. A rollout's
 * wish takes one of the free trial slots, or waits for one.
 */
export async function wishRuntimeInTransaction(
  trx: Db,
  agentRef: AgentRef,
  context: WishContext,
): Promise<Verdict<WishedAgent, 'agent_unknown' | RuntimeRefusal>> {
  const agent = await lockRow(trx, agentRef)
  if (!agent) return unknownAgent
  const wishes = wishesIn(agent.wishes)
  const { runtime } = readAttempts(agent.attempts)
  const verdict = judgeRuntimeRequest(runtime, wishes.runtimeHold, await servedRelease(trx))
  if (!verdict.ok) return verdict
  const { by, now, rollout, places } = context
  const { version } = verdict.served
  const wishBefore = wishes.runtime?.version === version ? wishes.runtime : undefined
  if (wishBefore && (rollout !== undefined || !isUnofferedOfRollout(wishBefore)))
    return { ok: true, value: { agent, made: false } }
  delete wishes.runtimeHold
  wishes.runtime = {
    version,
    at: wishBefore?.at ?? now,
    by: by.name,
    mark: wishBefore ? wishBefore.mark : (runtime?.applied ?? null),
    ...(rollout !== undefined && { rollout }),
    ...((places === undefined || takeTrialSlot(places)) && { grantedAt: now }),
  }
  const after = await storeWishes(trx, agent, wishes)
  await record(trx, agent, { ...context, of: 'runtime', kind: 'wished', version, from: runtime?.version ?? null })
  return { ok: true, value: { agent: after, made: true } }
}

/**
 * True for a rollout's wish that was not offered yet. If an admin requests the same version, the wish becomes the
 * admin's: it then needs no trial slot, and stays when the rollout withdraws its wishes.
 */
const isUnofferedOfRollout = ({ rollout, offeredAt }: RuntimeWish): boolean =>
  rollout !== undefined && offeredAt === undefined

/** Withdraws the wish for a runtime version. A runtime that has already started the update finishes it. */
export const clearRuntimeWish = (
  { db, by, now }: ChangeContext,
  agentRef: AgentRef,
): Promise<Verdict<WishedAgent, 'agent_unknown'>> =>
  transaction(db, (trx) => clearRuntimeWishInTransaction(trx, agentRef, { by, now }))

export async function clearRuntimeWishInTransaction(
  trx: Db,
  agentRef: AgentRef,
  context: WishContext,
): Promise<Verdict<WishedAgent, 'agent_unknown'>> {
  const agent = await lockRow(trx, agentRef)
  if (!agent) return unknownAgent
  const { runtime: wish, ...rest } = wishesIn(agent.wishes)
  if (!wish) return { ok: true, value: { agent, made: false } }
  const after = await storeWishes(trx, agent, rest)
  await record(trx, agent, { ...rolloutOf(wish), ...context, of: 'runtime', kind: 'withdrawn', version: wish.version })
  return { ok: true, value: { agent: after, made: true } }
}

/** Lifts the hold on a runtime version, so that the version can be wished again (D35). */
export const liftHold = (
  { db, by, now }: ChangeContext,
  agentRef: AgentRef,
  { silent = false } = {},
): Promise<Verdict<WishedAgent, 'agent_unknown'>> =>
  transaction(db, async (trx) => {
    const agent = await lockRow(trx, agentRef)
    if (!agent) return unknownAgent
    const { runtimeHold: hold, ...rest } = wishesIn(agent.wishes)
    if (!hold) return { ok: true, value: { agent, made: false } }
    const after = await storeWishes(trx, agent, rest)
    await record(trx, agent, { by, now, silent, of: 'runtime', kind: 'lifted', version: hold.version })
    return { ok: true, value: { agent: after, made: true } }
  })

const rolloutOf = ({ rollout }: VersionWish): Pick<WishContext, 'rollout'> => (rollout === undefined ? {} : { rollout })

interface WishEntry extends Omit<WishContext, 'places'> {
  of: RolloutKind
  kind: UpdateKind
  version: string
  from?: string | null
}

/** Adds a line to the timeline of the agent's updates and, unless `silent`, an entry to the audit trail. */
async function record(
  trx: Db,
  agent: AgentRow,
  { by, now, of, kind, version, from = null, rollout, silent }: WishEntry,
): Promise<void> {
  await noteUpdate(trx, agent, { at: now, of, kind, version, from, by: by.name, rollout: rollout ?? null })
  if (silent) return
  await audit(trx, {
    workspaceId: agent.workspace_id,
    at: now,
    by,
    action: `${kind === 'lifted' ? 'hold' : 'wish'}.${kind === 'wished' ? 'made' : kind}`,
    subject: `agent ${agent.name}`,
    details: { of, version, ...(from !== null && { from }), ...(rollout !== undefined && { rollout }) },
  })
}

/** The manifest of a blueprint version as JSON; undefined if there is no such version. */
async function findManifest(trx: Db, agent: AgentRow, version: string): Promise<string | undefined> {
  const row = versionNamed(trx, { id: agent.workspace_id }, agent.blueprint, version).select('manifest')
  // The row of the version is locked, so that nobody can delete the version until the wish is stored. A deletion takes
  // a stronger lock before it checks for wishes.
  const found = await (isPostgres(trx) ? row.forShare('blueprint_version') : row).executeTakeFirst()
  return found?.manifest
}

const noBlueprint = ({ name }: AgentRow) =>
  ({
    ok: false,
    code: 'no_blueprint',
    message: `${name} was not installed from a blueprint, so it cannot be given another version.`,
  }) as const
const otherBlueprint = ({ name, blueprint }: AgentRow, wanted: string) =>
  ({
    ok: false,
    code: 'other_blueprint',
    message: `${name} was installed from ${blueprint}, not from ${shown(wanted)}.`,
  }) as const
