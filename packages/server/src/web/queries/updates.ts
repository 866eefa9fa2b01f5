/** The state of an agent's updates for pages and the command line (D24). */
import type {
  AgentUpdateSummary,
  AgentUpdates,
  BlueprintUpdate,
  CurrentWish,
  FleetRow,
  Hold,
  LastOutcome,
  RuntimeOverview,
  RuntimeUpdate,
  ServedRuntime,
  WishState,
} from '@svc/api'
import { type AppliedUpdate, compareVersions, isVersion, type RuntimeInfo } from '@svc/protocol'
import { runningVersion } from '../../fleet/versions/agents.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { outputLogNames } from '../../updates/blueprints/output.ts'
import { type ServedRelease, servedRelease } from '../../updates/releases/store.ts'
import { unfinishedStates } from '../../updates/rollouts/states.ts'
import { judgeEarlyStart } from '../../updates/wishes/hurry.ts'
import { judgeRuntimeRequest } from '../../updates/wishes/judge.ts'
import {
  type HoldNote,
  isReleaseHeld,
  readAttempts,
  type VersionWish,
  type Wishes,
  wishesIn,
} from '../../updates/wishes/kept.ts'
import { blueprintState, runtimeState, wishStateOf } from '../../updates/wishes/state.ts'
import { countTrials } from '../../updates/wishes/trials.ts'
import { type LastSeen, runtimeWaits } from '../../updates/wishes/waits.ts'
import { blueprintWaitsOf, lastLines, readLastSeen } from '../../updates/wishes/watch.ts'

/** The columns of the agent's row from which its updates are computed. */
type UpdateColumns = Pick<
  AgentRow,
  'blueprint' | 'installed_version' | 'reported_version' | 'previous_version' | 'wishes' | 'attempts'
>

export async function agentUpdates(db: Db, agent: AgentRow, now: number): Promise<AgentUpdates> {
  const wishes = wishesIn(agent.wishes)
  const { applied, runtime } = readAttempts(agent.attempts)
  const served = await servedRelease(db)
  const seen = (await readLastSeen(db, [agent.id])).get(agent.id)
  const rollouts = await db
    .selectFrom('rollout_agent')
    .innerJoin('rollout', 'rollout.id', 'rollout_agent.rollout_id')
    .select(['rollout.id', 'rollout.kind', 'rollout.version'])
    .where('agent_id', '=', agent.id)
    .where('rollout_agent.wave', '>', 0)
    .where('rollout.state', 'in', unfinishedStates)
    .orderBy('rollout.created_at', 'desc')
    .execute()
  return {
    now,
    blueprint:
      agent.blueprint === null
        ? null
        : {
            ...blueprintUpdate(agent, wishes, {
              blueprint: agent.blueprint,
              applied,
              versions: await readVersions(db, agent),
            }),
            ...(await waitsOfBlueprint(db, agent, seen, now)),
            printed: await printedBy(db, agent, wishes),
          },
    runtime: {
      ...runtimeUpdate(wishes, runtime, served),
      waits: await waitsOfRuntime(db, agent, wishes, { seen, now }),
    },
    rollouts,
  }
}

async function waitsOfBlueprint(
  db: Db,
  agent: AgentRow,
  seen: LastSeen | undefined,
  now: number,
): Promise<Pick<BlueprintUpdate, 'waits' | 'now'>> {
  const waits = blueprintWaitsOf(agent, { line: (await lastLines(db, [agent.id], now)).get(agent.id), seen }, now)
  return { waits, now: judgeEarlyStart(agent, waits) }
}

/** The name of the log in which the running version shows the output of the held version that was rolled back. */
async function printedBy(db: Db, agent: AgentRow, { blueprintHold: hold }: Wishes): Promise<string | null> {
  if (hold?.outcome !== 'rolled_back') return null
  const running = runningVersion(agent)
  if (running === null) return null
  const logs = await outputLogNames(db, { id: agent.workspace_id }, agent.blueprint, [running])
  return logs.get(running) ?? null
}

async function waitsOfRuntime(
  db: Db,
  agent: AgentRow,
  { runtime: wish, runtimeHold }: Wishes,
  { seen = { receivedAt: null, silentAt: null }, now }: { seen: LastSeen | undefined; now: number },
) {
  if (!wish) return null
  const trials = await countTrials(db, agent.workspace_id, now)
  const facts = { ...seen, trials, blueprintOnTrial: wishStateOf(agent) === 'trying' }
  return runtimeWaits(runtimeState(wish, runtimeHold), wish, facts, now)
}

/** The part of an agent's row in the fleet list that is about updates. */
export function updateSummaryOf(agent: UpdateColumns, served: ServedRelease | undefined): AgentUpdateSummary {
  const wishes = wishesIn(agent.wishes)
  const hold = isReleaseHeld(wishes.runtimeHold, served) ? wishes.runtimeHold : undefined
  const { runtime } = readAttempts(agent.attempts)
  return {
    blueprint: agent.blueprint,
    wished: wishes.blueprint?.version ?? null,
    wishState: wishStateOf(agent),
    runtime: runtime?.version ?? null,
    runtimeWished: wishes.runtime?.version ?? null,
    runtimeWishState: runtimeState(wishes.runtime, hold),
    runtimeHeld: hold !== undefined,
    runtimeOutdated: isOutdated(runtime?.version, served),
    runtimePinned: runtime?.pinned ?? null,
  }
}

/** True if a runtime is older than the served one. A version that is not SemVer, such as `dev`, is never older. */
const isOutdated = (version: string | undefined, served: ServedRelease | undefined): boolean =>
  version !== undefined &&
  served !== undefined &&
  isVersion(version) &&
  isVersion(served.version) &&
  compareVersions(version, served.version) < 0

function blueprintUpdate(
  agent: AgentRow,
  { blueprint: wish, blueprintHold: hold }: Wishes,
  { blueprint, applied, versions }: { blueprint: string; applied: AppliedUpdate | undefined; versions: string[] },
): Omit<BlueprintUpdate, 'waits' | 'now' | 'printed'> {
  const running = runningVersion(agent)
  const state = blueprintState(running, wish, hold)
  return {
    blueprint,
    running,
    previous: agent.previous_version,
    wish: currentWishOf(wish),
    state,
    says: blueprintSays[state](wish?.version ?? '', running),
    applied: outcomeOf(applied),
    hold: holdOf(hold),
    versions,
  }
}

function runtimeUpdate(
  { runtime: wish, runtimeHold }: ReturnType<typeof wishesIn>,
  runtime: RuntimeInfo | undefined,
  served: ServedRelease | undefined,
): Omit<RuntimeUpdate, 'waits'> {
  const hold = isReleaseHeld(runtimeHold, served) ? runtimeHold : undefined
  const state = runtimeState(wish, hold)
  const press = judgeRuntimeRequest(runtime, hold, served)
  return {
    running: runtime?.version ?? null,
    previous: runtime?.previous ?? null,
    pinned: runtime?.pinned ?? null,
    served: served ? servedOf(served) : null,
    wish: currentWishOf(wish),
    state,
    says: runtimeSays[state]((wish ?? hold)?.version ?? '', runtime, served),
    applied: outcomeOf(runtime?.applied),
    hold: holdOf(hold),
    press: press.ok ? { ok: true } : press,
  }
}

const heldSays = 'It is not retried until another version is requested.'
const blueprintSays: Record<WishState, (version: string, running: string | null) => string> = {
  none: () => 'No version requested.',
  queued: (v) => `${v} is waiting for its turn.`,
  waiting: (v) => `${v} will be sent in the answer to its next report.`,
  offered: (v) => `${v} was sent. The agent has not downloaded it yet.`,
  trying: (v) => `${v} was downloaded and is being tested.`,
  kept: (v) => `It is running ${v}, as requested.`,
  rolled_back: (v, running) => `${v} was rolled back${running ? ` to ${running}` : ''}. ${heldSays}`,
  failed: (v) =>
    `The update to ${v} failed, and nothing changed. A failed download is retried every ten minutes. A refused bundle is not.`,
  held: (v) => `Its machine put ${v} on hold after an earlier attempt. Requesting another version lifts the hold.`,
}

type RuntimeWords = (version: string, runtime: RuntimeInfo | undefined, served: ServedRelease | undefined) => string
const runtimeHeldSays = 'It is on hold until the service serves another release or an admin lifts the hold.'
const runtimeSays: Record<WishState, RuntimeWords> = {
  none: (_, runtime, served) => {
    if (!runtime) return 'Its last report contains no runtime version.'
    if (!served) return 'The service serves no runtime.'
    if (runtime.version === served.version) return 'It is running the served version.'
    return `${served.version} is served${served.signed ? '.' : ', but not signed: runtimes refuse it.'}`
  },
  queued: (v) => `${v} is waiting for its turn: only a limited number of runtimes of a workspace is tested at once.`,
  waiting: (v) => `${v} will be sent in the answer to its next report.`,
  offered: (v) => `${v} was sent. The runtime downloads and checks it by itself.`,
  trying: (v) => `${v} is being tested. It is kept if it reports within five minutes.`,
  kept: (v) => `It is running ${v}.`,
  rolled_back: (v) => `${v} was rolled back. ${runtimeHeldSays}`,
  failed: (v) => `The update to ${v} failed, and nothing changed. ${runtimeHeldSays}`,
  held: (v) => `${v} is on hold. ${runtimeHeldSays}`,
}

const currentWishOf = (wish: VersionWish | undefined): CurrentWish | null =>
  wish
    ? {
        version: wish.version,
        wishedAt: wish.at,
        wishedBy: wish.by,
        offeredAt: wish.offeredAt ?? null,
        rollout: wish.rollout ?? null,
      }
    : null

const holdOf = (hold: HoldNote | undefined): Hold | null =>
  hold ? { version: hold.version, outcome: hold.outcome, message: hold.message, since: hold.at } : null

const outcomeOf = (applied: AppliedUpdate | undefined): LastOutcome | null =>
  applied
    ? { version: applied.version ?? null, outcome: applied.outcome ?? null, message: applied.message ?? null }
    : null

const servedOf = ({ version, sha256, signed }: ServedRelease): ServedRuntime => ({ version, sha256, signed })

async function readVersions(db: Db, agent: AgentRow): Promise<string[]> {
  const rows = await db
    .selectFrom('blueprint_version')
    .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
    .select('version')
    .where('workspace_id', '=', agent.workspace_id)
    .where('name', '=', agent.blueprint)
    .execute()
  return rows.map(({ version }) => version).sort((a, b) => compareVersions(b, a))
}

/**
 * The runtimes that the agents of a workspace run, and how many run each. `fleet` has the workspace's rows of the fleet
 * list.
 */
export async function runtimeOverview(
  db: Db,
  workspaceId: string,
  fleet: readonly FleetRow[],
  now: number,
): Promise<RuntimeOverview> {
  const rows = fleet.map(({ updates }) => updates)
  const running = Map.groupBy(rows, ({ runtime }) => runtime)
  const served = await servedRelease(db)
  const { max, busy } = await countTrials(db, workspaceId, now)
  return {
    now,
    served: served ? servedOf(served) : null,
    running: [...running]
      .map(([version, agents]) => ({ version, agents: agents.length }))
      .sort((a, b) => b.agents - a.agents),
    wished: rows.filter(({ runtimeWished }) => runtimeWished !== null).length,
    held: rows.filter(({ runtimeHeld }) => runtimeHeld).length,
    pinned: rows.filter(({ runtimePinned }) => runtimePinned !== null).length,
    trials: { most: max, now: busy },
  }
}
