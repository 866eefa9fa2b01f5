/** Rollouts as pages show them. */
import type {
  Pressable,
  RolloutAgent,
  RolloutAgentState,
  RolloutPage,
  RolloutRow,
  RolloutState,
  Rollouts,
} from '@svc/api'
import { durationText } from '@svc/api/words'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import { runningVersion } from '../../fleet/versions/agents.ts'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { RolloutDbRow } from '../../platform/db/tables.ts'
import { forEach, sorted, withPauses } from '../../platform/http/slices.ts'
import { byText, piecesOf } from '../../platform/lists.ts'
import { nothingLeftText, nothingWaitsText, unfinishedStates } from '../../updates/rollouts/store.ts'
import { memberWaits } from '../../updates/rollouts/waits.ts'
import { attemptsIn, wishesIn } from '../../updates/wishes/kept.ts'
import { blueprintState, runtimeState } from '../../updates/wishes/state.ts'
import { trialsOf } from '../../updates/wishes/trials.ts'
import { blueprintWaits, runtimeWaits } from '../../updates/wishes/waits.ts'
import { judgeNow, keptIn, lastLines, type VersionLine } from '../../updates/wishes/watch.ts'

interface Piece {
  /**
   * The id of a rollout. Only rollouts that started before the rollout with this id are returned; that rollout may have
   * been deleted meanwhile.
   */
  before?: string | undefined
  limit: number
}

/** The rollouts of a workspace, newest first: ids sort by the time at which they were made. */
export async function rolloutsOf(
  db: Db,
  workspace: { id: string },
  { before, limit }: Piece,
  now: number,
): Promise<Omit<Rollouts, 'canAct'>> {
  const found = await db
    .selectFrom('rollout')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .$if(before !== undefined, (q) => q.where('id', '<', before ?? ''))
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
  const { agents, watching } = await agentsOf(db, row, now)
  const counts = noCounts()
  for (const { state } of agents) counts[state]++
  const waves = JSON.parse(row.waves) as string[]
  const isWatched = row.state === 'running' && row.wave_kept_at !== null
  const nextAt = isWatched ? (row.wave_kept_at ?? 0) + row.watch_seconds * 1000 : null
  return {
    ...rowOf(row, counts),
    now,
    continuedBy: row.continued_by_name,
    upTo: waves,
    byHand: row.by_hand === 1,
    watchSeconds: row.watch_seconds,
    nextAt: row.wave < waves.length ? nextAt : null,
    says: says(row, { agents, counts }, now),
    agents,
    watching,
    actions: { ...actionsOf(row, counts), now: nowOf(row, watching) },
    stays: stays(row, counts),
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
  why: row.why,
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

async function agentsOf(db: Db, rollout: RolloutDbRow, now: number): Promise<Pick<RolloutPage, 'agents' | 'watching'>> {
  const rows = await db
    .selectFrom('rollout_agent')
    .innerJoin('agent', 'agent.id', 'rollout_agent.agent_id')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['rollout_agent.agent_id', 'name', 'wave', 'rollout_agent.state', 'reason', 'at', 'left_out_for'])
    .select(['level', 'received_at', 'interval_s', 'stopped'])
    .select(['wishes', 'attempts', 'installed_version', 'reported_version', 'previous_version'])
    .where('rollout_id', '=', rollout.id)
    .execute()
  const lines = rollout.kind === 'blueprint' ? await linesOf(db, rows, now) : new Map<string, never>()
  const trials = rollout.kind === 'runtime' ? await trialsOf(db, rollout.workspace_id, now) : { most: 0, busy: 0 }
  const agents: RolloutAgent[] = []
  const watching = { agents: 0, tooOld: 0 }
  const read = forEach(rows, (row) => {
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
            waits: () => {
              const runtimeOnTrial = wishes.runtime?.runsSince !== undefined
              const facts = { previous: row.previous_version, kept: keptIn(lines.get(row.agent_id), version) }
              return blueprintWaits(ofBlueprint, wishes.blueprint, { ...view, ...facts, runtimeOnTrial }, now)
            },
          }
        : {
            running: attemptsIn(row.attempts).runtime?.version ?? null,
            wish: runtimeState(wishes.runtime, wishes.runtimeHold),
            waits: () => {
              const facts = { ...view, trials, blueprintOnTrial: ofBlueprint === 'trying' }
              return runtimeWaits(runtimeState(wishes.runtime, wishes.runtimeHold), wishes.runtime, facts, now)
            },
          }
    const waitsFor = row.state === 'wished' ? waits() : null
    if (waitsFor?.for === 'window') watching[judgeNow(row, waitsFor).ok ? 'agents' : 'tooOld']++
    agents.push({
      agent: row.name,
      wave: row.wave,
      state: row.state === 'wished' && (wish === 'offered' || wish === 'trying') ? wish : row.state,
      reason: row.reason,
      leftOutFor: row.left_out_for,
      waits: memberWaits(rollout.state, { state: row.state, wish, waits: waitsFor }),
      level: row.level,
      running,
      seenAt: view.receivedAt,
      silentAt: view.silentAt,
      stopped: row.stopped,
      at: row.at,
    })
  })
  await withPauses(read)
  const order = (a: RolloutAgent, b: RolloutAgent) => (a.wave || 1e9) - (b.wave || 1e9) || byText(a.agent, b.agent)
  return { agents: await withPauses(sorted(agents, order)), watching }
}

/** The agents whose timelines are read in one statement. */
const linesAtOnce = 500

/** The last line about a version in the timeline of each agent that was asked for the version of the rollout. */
async function linesOf(
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

type AgentCounts = RolloutRow['counts']
const openOf = ({ wished, offered, trying }: AgentCounts): number => wished + offered + trying
const isLeft = (counts: AgentCounts): boolean => counts.untouched + openOf(counts) > 0

/** Says if the agents that watch a version can be told not to wait. */
function nowOf({ state }: RolloutDbRow, { agents, tooOld }: RolloutPage['watching']): Pressable {
  const no = (message: string): Pressable => ({ ok: false, code: 'rollout_not_running', message })
  if (state !== 'running' && state !== 'waiting') return no(`The rollout is ${state}.`)
  if (agents > 0) return { ok: true }
  return no(tooOld > 0 ? 'The runtimes of its agents are too old to end a watch.' : nothingWaitsText)
}

function actionsOf({ state, wave, waves }: RolloutDbRow, counts: AgentCounts): Omit<RolloutPage['actions'], 'now'> {
  const over: Pressable = { ok: false, code: 'rollout_over', message: `The rollout is already ${state}.` }
  if (!unfinishedStates.includes(state)) return { pause: over, continue: over, cancel: over }
  const yes: Pressable = { ok: true }
  const no = (message: string): Pressable => ({ ok: false, code: 'rollout_not_running', message })
  const isLast = wave === (JSON.parse(waves) as string[]).length
  const goesOn = state === 'running' || state === 'waiting'
  return {
    pause: goesOn ? yes : no(`The rollout is already ${state}.`),
    continue:
      goesOn && isLast
        ? no('The last wave is in progress.')
        : state === 'halted' && !isLeft(counts)
          ? no(nothingLeftText)
          : yes,
    cancel: yes,
  }
}

/** A sentence about the rollout: what it waits for, what happens next, or how it ended. */
function says(row: RolloutDbRow, { agents, counts }: Pick<RolloutPage, 'agents' | 'counts'>, now: number): string {
  const waves = (JSON.parse(row.waves) as string[]).length
  const words: Record<RolloutState, () => string> = {
    running: () => runningSays(row, agents, now, waves),
    waiting: () =>
      `${row.why ?? `Wave ${row.wave} of ${waves} is complete.`} The next wave starts when you approve it.`,
    paused: () => 'Paused: no further agents get the version until someone continues the rollout.',
    halted: () =>
      `${stopped(row.why)} The rollout halted by itself. ${isLeft(counts) ? 'No further agents get the version until you continue.' : 'All of its agents have an outcome: nothing is left to continue.'}`.trim(),
    done: () => doneSays(agents),
    cancelled: () => `Cancelled. ${row.why ?? ''}`.trim(),
  }
  return words[row.state]()
}

/** Adds a full stop to a reason that ends without one, as reasons in an agent's words may. */
const stopped = (why: string | null): string => (why === null || /[.!?…]$/.test(why) ? (why ?? '') : `${why}.`)

function runningSays(row: RolloutDbRow, agents: readonly RolloutAgent[], now: number, waves: number): string {
  const wave = `Wave ${row.wave} of ${waves}`
  if (row.wave_kept_at !== null) {
    const next = row.by_hand === 1 ? 'then you approve the next wave' : 'then the next wave starts'
    const after = row.wave < waves ? next : 'then the rollout is done'
    return `${wave} is complete and is watched for ${durationText(row.watch_seconds)}, ${after}.`
  }
  const open = agents.filter(({ state }) => state === 'wished' || state === 'offered' || state === 'trying')
  const silent = open.filter((agent) => agent.silentAt === null || agent.silentAt <= now)
  if (open.length === 0) return `${wave} is starting.`
  const more = silent.length > 0 ? `, ${silent.length} of them offline` : ''
  return `${wave} is waiting for ${open.length === 1 ? (open[0]?.agent ?? '') : `${open.length} agents`}${more}.`
}

function doneSays(agents: readonly RolloutAgent[]): string {
  const open = agents.filter(({ state }) => state === 'wished' || state === 'offered' || state === 'trying').length
  const kept = agents.filter(({ state }) => state === 'kept').length
  const rest =
    open > 0
      ? ` ${open === 1 ? 'One offline agent gets the request when it reports' : `${open} offline agents get the request when they report`} again.`
      : ''
  return `Done: ${kept} ${kept === 1 ? 'agent runs' : 'agents run'} the version.${rest}`
}

/**
 * A sentence about how many agents keep the version, keep the request for it, or are not affected, if the rollout is
 * cancelled or after it was.
 */
function stays({ version, state }: RolloutDbRow, counts: Record<RolloutAgentState, number>): string {
  const open = openOf(counts)
  const agents = (n: number) => `${n} ${n === 1 ? 'agent' : 'agents'}`
  const runs = counts.kept + counts.worse
  const over = state === 'cancelled'
  const parts = [
    runs > 0 && `${agents(runs)} ${runs === 1 ? `runs ${version} and keeps it` : `run ${version} and keep it`}`,
    open > 0 && `the request stays in place for ${agents(open)}`,
    counts.untouched > 0 &&
      `${agents(counts.untouched)} ${counts.untouched === 1 ? (over ? 'was' : 'is') : over ? 'were' : 'are'} not affected`,
  ].filter((part) => part !== false)
  if (parts.length === 0) return 'No agent is affected.'
  const all = parts.join(', ')
  return `${all[0]?.toUpperCase()}${all.slice(1)}.`
}
