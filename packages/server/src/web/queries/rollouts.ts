/** Rollouts as pages show them. */
import type { RolloutAgent, RolloutAgentState, RolloutPage, RolloutRow, RolloutState, Rollouts } from '@svc/api'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import { runningVersion } from '../../fleet/versions/agents.ts'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { RolloutDbRow } from '../../platform/db/tables.ts'
import { forEachInSlices, runWithPauses, sortInSlices } from '../../platform/http/slices.ts'
import { byText, piecesOf } from '../../platform/lists.ts'
import { outputLogNames } from '../../updates/blueprints/output.ts'
import { judgeEarlyStart } from '../../updates/wishes/hurry.ts'
import { readAttempts, wishesIn } from '../../updates/wishes/kept.ts'
import { blueprintState, runtimeState } from '../../updates/wishes/state.ts'
import { countTrials } from '../../updates/wishes/trials.ts'
import { runtimeWaits } from '../../updates/wishes/waits.ts'
import { blueprintWaitsOf, lastLines, type VersionLine } from '../../updates/wishes/watch.ts'
import {
  haltInWords,
  keptSentence,
  memberWaits,
  rolloutActions,
  rolloutSentence,
  watchingNow,
} from './rollout-words.ts'

interface RolloutsPiece {
  /**
   * The id of a rollout. Only rollouts that started before the rollout with this id are returned; that rollout may have
   * been deleted meanwhile.
   */
  before?: string | undefined
  limit: number
  /** Only rollouts in this state are returned. */
  state?: RolloutState | undefined
}

/** The rollouts of a workspace, newest first: ids sort by the time at which they were made. */
export async function readRollouts(
  db: Db,
  workspace: { id: string },
  { before, limit, state }: RolloutsPiece,
  now: number,
): Promise<Omit<Rollouts, 'canAct'>> {
  const found = await db
    .selectFrom('rollout')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .$if(before !== undefined, (q) => q.where('id', '<', before ?? ''))
    .$if(state !== undefined, (q) => q.where('state', '=', state as RolloutState))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  const sums = await db
    .selectFrom('rollout_agent')
    .select((eb) => ['rollout_id', 'state', eb.fn.countAll<number>().as('count')])
    .where('rollout_id', 'in', rows.length > 0 ? rows.map(({ id }) => id) : [''])
    .groupBy(['rollout_id', 'state'])
    .execute()
  return {
    now,
    more: found.length > limit,
    rows: rows.map((row) => {
      const counts = noCounts()
      for (const { rollout_id, state, count } of sums) if (rollout_id === row.id) counts[state] = Number(count)
      return rowOf(row, counts)
    }),
  }
}

export async function rolloutPage(
  db: Db,
  workspace: { id: string },
  id: string,
  now: number,
): Promise<Omit<RolloutPage, 'canAct'> | undefined> {
  const row = await db
    .selectFrom('rollout')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspace.id)
    .executeTakeFirst()
  if (!row) return undefined
  const { agents, steps, watching } = await readRolloutAgents(db, row, now)
  const counts = noCounts()
  for (const { state } of agents) counts[state]++
  const waves = JSON.parse(row.waves) as string[]
  const isWatched = row.state === 'running' && row.wave_kept_at !== null
  return {
    ...rowOf(row, counts),
    now,
    continuedBy: row.continued_by_name,
    upTo: waves,
    byHand: row.by_hand === 1,
    watchSeconds: row.watch_seconds,
    nextAt: isWatched ? (row.wave_kept_at ?? 0) + row.watch_seconds * 1000 : null,
    says: rolloutSentence(row, { agents, counts }, now),
    agents,
    steps,
    watching,
    actions: { ...rolloutActions(row, counts), now: watchingNow(row, watching) },
    stays: keptSentence(row, counts),
  }
}

export const workspaceOfRollout = (db: Db, id: string): Promise<WorkspaceInfo | undefined> =>
  db
    .selectFrom('rollout')
    .innerJoin('workspace', 'workspace.id', 'rollout.workspace_id')
    .select(['workspace.id', 'workspace.slug', 'workspace.name'])
    .where('rollout.id', '=', id)
    .where('workspace.id', 'not in', db.selectFrom('workspace_deleted').select('workspace_id'))
    .executeTakeFirst()

const rowOf = (row: RolloutDbRow, counts: RolloutRow['counts']): RolloutRow => ({
  id: row.id,
  kind: row.kind,
  blueprint: row.blueprint,
  version: row.version,
  state: row.state,
  why: haltInWords(row.why),
  createdAt: row.created_at,
  createdBy: row.created_by_name,
  changedAt: row.changed_at,
  wave: row.wave,
  waves: (JSON.parse(row.waves) as string[]).length,
  counts,
})

const noCounts = (): RolloutRow['counts'] => ({
  untouched: 0,
  wished: 0,
  offered: 0,
  trying: 0,
  kept: 0,
  rolled_back: 0,
  failed: 0,
  worse: 0,
  left_out: 0,
  withdrawn: 0,
  excused: 0,
})

async function readRolloutAgents(
  db: Db,
  rollout: RolloutDbRow,
  now: number,
): Promise<Pick<RolloutPage, 'agents' | 'steps' | 'watching'>> {
  const rows = await db
    .selectFrom('rollout_agent')
    .innerJoin('agent', 'agent.id', 'rollout_agent.agent_id')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select([
      'rollout_agent.agent_id',
      'name',
      'wave',
      'rollout_agent.state',
      'reason',
      'at',
      'left_out_for',
      'wished_at',
    ])
    .select(['level', 'received_at', 'interval_s', 'stopped'])
    .select(['wishes', 'attempts', 'installed_version', 'reported_version', 'previous_version'])
    .where('rollout_id', '=', rollout.id)
    .execute()
  const lines = rollout.kind === 'blueprint' ? await readRolloutLines(db, rows, now) : new Map<string, never>()
  const trials = rollout.kind === 'runtime' ? await countTrials(db, rollout.workspace_id, now) : { max: 0, busy: 0 }
  const agents: RolloutAgent[] = []
  const watching = { agents: 0, tooOld: 0 }
  const printed = await printedBy(db, rollout, rows)
  const steps: RolloutPage['steps'] = (JSON.parse(rollout.waves) as string[]).map(() => ({ begunAt: null, counts: {} }))
  const read = forEachInSlices(rows, (row) => {
    const wishes = wishesIn(row.wishes)
    const version = runningVersion(row)
    const ofBlueprint = blueprintState(version, wishes.blueprint, wishes.blueprintHold)
    const view = {
      receivedAt: row.received_at,
      silentAt: row.received_at === null ? null : offlineFrom(row.received_at, row.interval_s ?? 0, row.stopped),
    }
    const { running, wish, waits } =
      rollout.kind === 'blueprint'
        ? {
            running: version,
            wish: ofBlueprint,
            waits: () => blueprintWaitsOf(row, { line: lines.get(row.agent_id), seen: view }, now),
          }
        : {
            running: readAttempts(row.attempts).runtime?.version ?? null,
            wish: runtimeState(wishes.runtime, wishes.runtimeHold),
            waits: () => {
              const facts = { ...view, trials, blueprintOnTrial: ofBlueprint === 'trying' }
              return runtimeWaits(runtimeState(wishes.runtime, wishes.runtimeHold), wishes.runtime, facts, now)
            },
          }
    const waitsFor = row.state === 'wished' ? waits() : null
    if (waitsFor?.for === 'window') watching[judgeEarlyStart(row, waitsFor).ok ? 'agents' : 'tooOld']++
    const state = row.state === 'wished' && (wish === 'offered' || wish === 'trying') ? wish : row.state
    const step = steps[row.wave - 1]
    if (step) {
      step.counts[state] = (step.counts[state] ?? 0) + 1
      if (row.wished_at !== null) step.begunAt = Math.min(step.begunAt ?? row.wished_at, row.wished_at)
    }
    agents.push({
      agent: row.name,
      wave: row.wave,
      state,
      reason: row.reason,
      leftOutFor: row.left_out_for,
      printed: row.state === 'rolled_back' ? (printed.get(version ?? '') ?? null) : null,
      waits: memberWaits(rollout.state, { state: row.state, wish, waits: waitsFor }),
      level: row.level,
      running,
      seenAt: view.receivedAt,
      silentAt: view.silentAt,
      stopped: row.stopped,
      at: row.at,
    })
  })
  await runWithPauses(read)
  const order = (a: RolloutAgent, b: RolloutAgent) => (a.wave || 1e9) - (b.wave || 1e9) || byText(a.agent, b.agent)
  return { agents: await runWithPauses(sortInSlices(agents, order)), steps, watching }
}

/** The number of agents whose timelines are read in one statement. */
const linesAtOnce = 500

/** The last line about a version in the timeline of each agent whose wish has no outcome yet. */
async function readRolloutLines(
  db: Db,
  members: readonly { agent_id: string; state: RolloutAgentState }[],
  now: number,
): Promise<Map<string, VersionLine>> {
  const ids = members.flatMap(({ agent_id, state }) => (state === 'wished' ? [agent_id] : []))
  const lines = new Map<string, VersionLine>()
  for (const piece of piecesOf(ids, linesAtOnce))
    for (const [id, line] of await lastLines(db, piece, now)) lines.set(id, line)
  return lines
}

type ShownMember = Parameters<typeof runningVersion>[0] & { state: RolloutAgentState }

/** The maximum number of versions whose manifests are read. */
const maxPrinted = 100

/** For each version to which an agent was rolled back, the name of the log that has the output of the agent. */
async function printedBy(db: Db, rollout: RolloutDbRow, members: readonly ShownMember[]): Promise<Map<string, string>> {
  if (rollout.kind !== 'blueprint') return new Map()
  const back = members.filter(({ state }) => state === 'rolled_back')
  const versions = [...new Set(back.map(runningVersion))].filter((version) => version !== null)
  return outputLogNames(db, { id: rollout.workspace_id }, rollout.blueprint, versions.slice(0, maxPrinted))
}
