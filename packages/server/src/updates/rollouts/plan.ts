/** Plans a rollout: the version, the agents of each wave, and who is left out and why. Stores nothing. */
import type { NewRollout, RolloutPreview } from '@svc/api'
import { isVersion, shown, type Verdict } from '@svc/protocol'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { Db } from '../../platform/db/open.ts'
import { type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import type { WorkspaceRef } from '../../platform/ids.ts'
import { refuse } from '../../platform/verdict.ts'
import { servedRelease } from '../releases/store.ts'
import { neededSvcOf } from '../wishes/needs.ts'
import { type NamedVersion, type RolloutCandidate, readCandidates } from './members.ts'

export type RolloutRefusal =
  | 'rollout_invalid'
  | 'rollout_empty'
  | 'rollout_unknown'
  | 'rollout_over'
  | 'rollout_not_running'
  | 'rollout_changed'
  | 'conflict'
  | 'version_unknown'
  | 'runtime_not_served'

/** The seconds for which each wave is watched: the default, and the maximum. */
export const defaultWatchSeconds = 600
export const maxWatchSeconds = 7 * 86_400

/** A rollout as it would be started now. */
export interface PlannedRollout {
  named: NamedVersion
  waves: { upTo: string; agents: RolloutCandidate[] }[]
  leftOut: RolloutCandidate[]
  /** The ids of the unfinished rollouts of this kind. The plan leaves out agents that are in one of them. */
  others: string[]
}

/** Plans a rollout, so that a person sees the plan before starting the rollout. */
export async function previewRollout(
  on: Db | RunInTransaction,
  workspace: WorkspaceRef,
  wanted: NewRollout,
  now: number,
): Promise<Verdict<RolloutPreview, RolloutRefusal>> {
  const planned = await planRollout(on, workspace, wanted, now)
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

/**
 * Plans a rollout. Each query is a transaction of its own, so that reports are answered in between; the transaction
 * that stores the rollout checks that the plan still holds.
 */
export async function planRollout(
  on: Db | RunInTransaction,
  workspace: WorkspaceRef,
  wanted: NewRollout,
  now: number,
): Promise<Verdict<PlannedRollout, RolloutRefusal>> {
  const waves = checkedWaves(wanted.waves)
  if (!waves.ok) return waves
  const { watchSeconds = defaultWatchSeconds } = wanted
  if (!Number.isInteger(watchSeconds) || watchSeconds < 0 || watchSeconds > maxWatchSeconds) {
    return refuse('rollout_invalid', `A wave can be watched for 0 seconds to one week: got ${shown(watchSeconds)}.`)
  }
  const named = await transaction(on, (db) => namedVersionOf(db, workspace, wanted))
  if (!named.ok) return named
  const { all, others } = await readCandidates(on, workspace, { ...wanted, named: named.value }, now)
  const reached = all.filter((candidate) => !candidate.leftOut)
  const leftOut = all.filter((candidate) => candidate.leftOut)
  return { ok: true, value: { named: named.value, waves: groupByWave(reached, waves.value), leftOut, others } }
}

/** The version that a rollout names, or the reason why there is none. */
export const namedVersionOf = (
  db: Db,
  workspace: WorkspaceRef,
  wanted: NewRollout,
): Promise<Verdict<NamedVersion, RolloutRefusal>> =>
  wanted.kind === 'runtime' ? namedRuntime(db) : namedVersion(db, workspace, wanted)

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

/** The reason why a rollout would reach no agent, as a sentence. */
export function emptyReason({ version }: NamedVersion, leftOut: readonly RolloutCandidate[]): string {
  const [first] = leftOut
  if (!first) return 'There are no agents to update.'
  const way = leftOut.some(({ leftOut: why }) => why?.rollout) ? ' End the other rollout first.' : ''
  return `No agents to update with ${version}. ${first.name}: ${first.leftOut?.message ?? ''}${leftOut.length > 1 ? ` (and ${leftOut.length - 1} more)` : ''}${way}`
}

const usualWaves = ['1', '10%', '100%']
const maxWaves = 10
const waveSharePattern = /^(?:[1-9]\d{0,2}%|[1-9]\d{0,5})$/

/**
 * Checks the waves that a person typed. Each wave is the number or share of agents that are reached after it, including
 * earlier waves. A last wave of 100% is added if it is missing.
 */
export function checkedWaves(given: readonly string[] = usualWaves): Verdict<string[], 'rollout_invalid'> {
  if (given.length > maxWaves) return invalid(`A rollout can have at most ${maxWaves} waves: got ${given.length}.`)
  for (const wave of given) {
    if (!waveSharePattern.test(wave) || (wave.endsWith('%') && Number.parseInt(wave, 10) > 100)) {
      return invalid(`A wave is a number of agents such as 5, or a share such as 10%: got ${shown(wave)}.`)
    }
  }
  const last = given.at(-1)
  return { ok: true, value: last === '100%' ? [...given] : [...given, '100%'] }
}

/** The number of agents, of `total`, that are reached after a wave, including earlier waves. */
const reachOf = (wave: string, total: number): number =>
  Math.min(total, wave.endsWith('%') ? Math.ceil((total * Number.parseInt(wave, 10)) / 100) : Number(wave))

/** Groups the agents by wave and drops waves that would add nobody. */
export function groupByWave<T>(agents: readonly T[], waves: readonly string[]): { upTo: string; agents: T[] }[] {
  const made: { upTo: string; agents: T[] }[] = []
  let reached = 0
  for (const upTo of waves) {
    const reach = reachOf(upTo, agents.length)
    if (reach <= reached) continue
    made.push({ upTo, agents: agents.slice(reached, reach) })
    reached = reach
  }
  return made
}

const invalid = (message: string) => ({ ok: false, code: 'rollout_invalid', message }) as const
