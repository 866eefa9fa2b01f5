/** Plans a rollout: the version, the agents of each wave, and who is left out and why. Stores nothing. */
import type { NewRollout, RolloutPreview } from '@svc/api'
import { isVersion, shown, type Verdict } from '@svc/protocol'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { Db } from '../../platform/db/open.ts'
import type { WorkspaceRef } from '../../platform/ids.ts'
import { refuse } from '../../platform/verdict.ts'
import { servedRelease } from '../releases/store.ts'
import { neededSvcOf } from '../wishes/needs.ts'
import { type Candidate, candidatesOf, type NamedVersion } from './members.ts'
import { inWaves, readWaves } from './waves.ts'

export type RolloutRefusal =
  | 'rollout_invalid'
  | 'rollout_empty'
  | 'rollout_unknown'
  | 'rollout_over'
  | 'rollout_not_running'
  | 'version_unknown'
  | 'runtime_not_served'

/** The seconds for which each wave is watched: the default, and the maximum. */
export const defaultWatchSeconds = 600
export const maxWatchSeconds = 7 * 86_400

interface Planned {
  named: NamedVersion
  waves: { upTo: string; agents: Candidate[] }[]
  leftOut: Candidate[]
}

/** Plans a rollout for people, who see the plan before they start the rollout. */
export async function previewRollout(
  db: Db,
  workspace: WorkspaceRef,
  wanted: NewRollout,
  now: number,
): Promise<Verdict<RolloutPreview, RolloutRefusal>> {
  const planned = await plan(db, workspace, wanted, now)
  if (!planned.ok) return planned
  const { named, waves, leftOut } = planned.value
  return {
    ok: true,
    value: {
      version: named.version,
      waves: waves.map(({ upTo, agents }) => ({ upTo, agents: agents.map(({ name }) => name) })),
      leftOut: leftOut.map(({ name, leftOut: why }) => ({
        agent: name,
        code: why?.code ?? '',
        message: why?.message ?? '',
        rollout: why?.rollout?.id ?? null,
      })),
      blockedBy: [
        ...new Map(
          leftOut.flatMap(({ leftOut: why }) => (why?.rollout ? [[why.rollout.id, why.rollout]] : [])),
        ).values(),
      ],
    },
  }
}

/** Plans a rollout. It is called again in the transaction that stores the rollout. */
export async function plan(
  db: Db,
  workspace: WorkspaceRef,
  wanted: NewRollout,
  now: number,
): Promise<Verdict<Planned, RolloutRefusal>> {
  const waves = readWaves(wanted.waves)
  if (!waves.ok) return waves
  const { watchSeconds = defaultWatchSeconds } = wanted
  if (!Number.isInteger(watchSeconds) || watchSeconds < 0 || watchSeconds > maxWatchSeconds) {
    return refuse('rollout_invalid', `A wave can be watched for 0 seconds to one week: got ${shown(watchSeconds)}.`)
  }
  const named = wanted.kind === 'runtime' ? await namedRuntime(db) : await namedVersion(db, workspace, wanted)
  if (!named.ok) return named
  const all = await candidatesOf(db, workspace, { ...wanted, named: named.value }, now)
  const reached = all.filter((candidate) => !candidate.leftOut)
  const leftOut = all.filter((candidate) => candidate.leftOut)
  return { ok: true, value: { named: named.value, waves: inWaves(reached, waves.value), leftOut } }
}

async function namedRuntime(db: Db): Promise<Verdict<NamedVersion, RolloutRefusal>> {
  const served = await servedRelease(db)
  if (!served)
    return refuse('runtime_not_served', 'The service has no runtime build: add one with "svc-server release add".')
  return { ok: true, value: { kind: 'runtime', blueprint: null, version: served.version, served } }
}

async function namedVersion(
  db: Db,
  workspace: WorkspaceRef,
  { blueprint = '', version = '' }: NewRollout,
): Promise<Verdict<NamedVersion, RolloutRefusal>> {
  const found = isVersion(version)
    ? await versionNamed(db, workspace, blueprint, version).select('manifest').executeTakeFirst()
    : undefined
  if (!found) return refuse('version_unknown', `There is no version ${shown(version)} of ${shown(blueprint)} here.`)
  return {
    ok: true,
    value: { kind: 'blueprint', blueprint, version, served: undefined, needed: neededSvcOf(found.manifest) },
  }
}

export function emptyReason({ version }: NamedVersion, leftOut: readonly Candidate[]): string {
  const [first] = leftOut
  if (!first) return 'There are no agents to update.'
  const way = leftOut.some(({ leftOut: why }) => why?.rollout) ? ' End the other rollout first.' : ''
  return `No agents to update with ${version}. ${first.name}: ${first.leftOut?.message ?? ''}${leftOut.length > 1 ? ` (and ${leftOut.length - 1} more)` : ''}${way}`
}
