/**
 * Finds the agents that a new rollout would reach, and those that it would leave out, with the reasons. Stores and
 * reads the agents of a rollout.
 */
import type { BlockingRollout, NewRollout, RolloutKind } from '@svc/api'
import type { NeededSvc } from '@svc/blueprint'
import { keptReport, type Level, readAttemptText } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'
import { offlineFrom } from '../../fleet/agents/offline.ts'
import { runningVersion } from '../../fleet/versions/agents.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { betweenTransactions, type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import { forEachInSlices, runWithPauses, sortInSlices } from '../../platform/http/slices.ts'
import { byText, piecesOf } from '../../platform/lists.ts'
import type { ServedRelease } from '../releases/store.ts'
import { judgeRuntimeRequest } from '../wishes/judge.ts'
import { readAttempts, wishesIn } from '../wishes/kept.ts'
import { whySvcTooOld } from '../wishes/needs.ts'
import { type MemberFacts, ownLevel, type RolloutMember } from './judge.ts'
import { unfinishedStates } from './states.ts'

interface LeftOut {
  code: string
  message: string
  /** The other rollout that the agent is in, if the code is `in_rollout`. */
  rollout?: BlockingRollout
}
/** An agent that a rollout may reach. `leftOut` is the reason if the rollout leaves it out. */
export interface RolloutCandidate {
  id: string
  name: string
  silent: boolean
  leftOut: LeftOut | undefined
}
/** The version to roll out; for a runtime rollout the served release. */
export interface NamedVersion {
  kind: RolloutKind
  blueprint: string | null
  version: string
  served: ServedRelease | undefined
  /** The first version of svc that the blueprint version needs, and why; undefined if any version of svc will do. */
  needed?: NeededSvc | undefined
}

/**
 * The agents of a rollout, including those that it leaves out, in the order in which it reaches them. Agents that are
 * not offline come first, and both groups are sorted by name. `others` are the ids of the unfinished rollouts of this
 * kind.
 */
export async function readCandidates(
  on: Db | RunInTransaction,
  workspace: { id: string },
  { named, agents, end }: Pick<NewRollout, 'agents' | 'end'> & { named: NamedVersion },
  now: number,
): Promise<{ all: RolloutCandidate[]; others: string[] }> {
  const others = await transaction(on, (db) => unfinishedRollouts(db, workspace, named.kind))
  await betweenTransactions(on)
  const agentsOf = (db: Db) =>
    db
      .selectFrom('agent')
      .select('id')
      .where('workspace_id', '=', workspace.id)
      .$if(named.kind === 'blueprint' && agents === undefined, (q) => q.where('blueprint', '=', named.blueprint))
      .$if(agents !== undefined, (q) => q.where('name', 'in', textsIn(db, agents ?? [])))
  const ids = (await transaction(on, (db) => agentsOf(db).execute())).map(({ id }) => id)
  const rows = await readInPieces(on, ids, (db, piece) =>
    db
      .selectFrom('agent')
      .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
      .select(judgedColumns)
      .select(['agent.id', 'name', 'received_at', 'interval_s', 'stopped'])
      .where('agent.id', 'in', textsIn(db, piece))
      .execute(),
  )
  const busy = await inRollouts(on, workspace, ids, { kind: named.kind, except: end ?? [] })
  const all: RolloutCandidate[] = []
  const judge = (row: (typeof rows)[number]) =>
    all.push({
      ...{ id: row.id, name: row.name, leftOut: inAnotherRollout(busy.get(row.id)) ?? leaveOutReason(row, named) },
      silent: row.received_at === null || offlineFrom(row.received_at, row.interval_s ?? 0, row.stopped) <= now,
    })
  await runWithPauses(forEachInSlices(rows, judge))
  const order = (a: RolloutCandidate, b: RolloutCandidate) =>
    Number(a.silent) - Number(b.silent) || byText(a.name, b.name)
  return { all: await runWithPauses(sortInSlices(all, order)), others }
}

/** The ids of the unfinished rollouts of a kind. As long as they stay the same, so do the agents of these rollouts. */
export const unfinishedRollouts = async (db: Db, workspace: { id: string }, kind: RolloutKind): Promise<string[]> =>
  (await unfinishedQuery(db, workspace, kind).select('rollout.id').orderBy('rollout.id').execute()).map(({ id }) => id)

const unfinishedQuery = (db: Db, workspace: { id: string }, kind: RolloutKind) =>
  db
    .selectFrom('rollout')
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', kind)
    .where('rollout.state', 'in', unfinishedStates)

const inAnotherRollout = (rollout: BlockingRollout | undefined): LeftOut | undefined =>
  rollout && {
    code: 'in_rollout',
    message: `Already in another unfinished rollout, of ${nameOf(rollout)} (${rollout.state}).`,
    rollout,
  }
const nameOf = ({ kind, blueprint, version }: BlockingRollout): string =>
  kind === 'runtime' ? `runtime ${version}` : `${blueprint} ${version}`

/** The columns of an agent that decide whether a rollout leaves it out. */
const judgedColumns = [
  'wishes',
  'attempts',
  'blueprint',
  'installed_version',
  'reported_version',
  'previous_version',
] as const satisfies (keyof AgentRow)[]

/** The reason why a rollout leaves out an agent; undefined if the rollout reaches the agent. */
export function leaveOutReason(
  agent: Pick<AgentRow, (typeof judgedColumns)[number]>,
  { kind, blueprint, version, served, needed }: NamedVersion,
): LeftOut | undefined {
  const wishes = wishesIn(agent.wishes)
  if (kind === 'runtime') {
    const press = judgeRuntimeRequest(readAttempts(agent.attempts).runtime, wishes.runtimeHold, served)
    return press.ok ? undefined : { code: press.code, message: press.message }
  }
  if (agent.blueprint === null) return { code: 'no_blueprint', message: 'Not installed from a blueprint.' }
  if (agent.blueprint !== blueprint) {
    return { code: 'other_blueprint', message: `Installed from ${agent.blueprint}.` }
  }
  const stays = wishes.blueprint === undefined || wishes.blueprint.version === version
  if (runningVersion(agent) === version && stays)
    return { code: 'already_runs', message: `Already running ${version}.` }
  if (wishes.blueprintHold?.version === version) {
    const { message } = wishes.blueprintHold
    return {
      code: 'version_held',
      message: `Its machine put ${version} on hold after an earlier attempt${said(message)}`,
    }
  }
  return needed && whySvcTooOld(agent, version, needed)
}

/**
 * The end of a sentence about an attempt: the reported reason, without the versions and the time that a runtime writes
 * before the reason.
 */
const said = (message: string | null): string => (message ? `: ${readAttemptText(message)?.reason ?? message}` : '.')

/**
 * Maps the ids of these agents to the unfinished rollouts that they are in. The rollouts with the ids `except` do not
 * count.
 */
async function inRollouts(
  on: Db | RunInTransaction,
  workspace: { id: string },
  ids: readonly string[],
  { kind, except }: { kind: RolloutKind; except: readonly string[] },
): Promise<Map<string, BlockingRollout>> {
  const rows = await readInPieces(on, ids, (db, piece) =>
    unfinishedQuery(db, workspace, kind)
      .innerJoin('rollout_agent', 'rollout_agent.rollout_id', 'rollout.id')
      .select(['agent_id', 'rollout.id', 'kind', 'blueprint', 'version', 'rollout.state'])
      .where('rollout_agent.wave', '>', 0)
      .where('rollout_agent.agent_id', 'in', textsIn(db, piece))
      .$if(except.length > 0, (q) => q.where('rollout.id', 'not in', except))
      .execute(),
  )
  return new Map(rows.map(({ agent_id, ...rollout }) => [agent_id, rollout]))
}

/** The number of agents that one statement reads. */
const readAtOnce = 1000

/** Reads many agents. Each piece is a transaction of its own, so that reports are answered in between. */
async function readInPieces<T>(
  on: Db | RunInTransaction,
  ids: readonly string[],
  read: (db: Db, piece: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  const all: T[] = []
  for (const piece of piecesOf(ids, readAtOnce)) {
    await betweenTransactions(on)
    all.push(...(await transaction(on, (db) => read(db, piece))))
  }
  return all
}

/**
 * The age in milliseconds up to which a report is read for its level. Several rounds of the sweeper fit into this time,
 * so no report is missed.
 */
export const freshMs = 15_000

/**
 * The facts about these agents, by agent id. Levels are read only from recent reports, because older ones were judged
 * before. `backAt` is the time at which the service came back from an outage, since which agents can report again.
 */
export async function readMemberFacts(
  db: Db,
  agents: readonly string[],
  now: number,
  { backAt = 0 }: { backAt?: number | undefined } = {},
): Promise<Map<string, MemberFacts>> {
  const ids = textsIn(db, agents)
  const rows = await db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['agent.id', 'wishes', 'attempts', 'installed_version', 'reported_version', 'previous_version'])
    .select(['received_at', 'interval_s', 'stopped'])
    .where('agent.id', 'in', ids)
    .execute()
  const fresh = await db
    .selectFrom('agent_report')
    .select(['agent_id', 'body'])
    .where('agent_id', 'in', ids)
    .where('received_at', '>', now - freshMs)
    .execute()
  const levels = new Map(fresh.map(({ agent_id, body }) => [agent_id, levelIn(body)]))
  return new Map(
    rows.map((row) => [
      row.id,
      {
        wishes: wishesIn(row.wishes),
        attempts: readAttempts(row.attempts),
        running: runningVersion(row),
        level: levels.get(row.id),
        receivedAt: row.received_at,
        silentAt:
          row.received_at === null
            ? null
            : offlineFrom(Math.max(row.received_at, backAt), row.interval_s ?? 0, row.stopped),
      },
    ]),
  )
}

/** The list for the SQL operator `in`, with all texts in one parameter. */
const textsIn = (db: Db, texts: readonly string[]): RawBuilder<string> =>
  isPostgres(db) ? sql`(select unnest(${texts}::text[]))` : sql`(select value from json_each(${JSON.stringify(texts)}))`

/** The level in the stored JSON of a report; null if there is no report or it has no level. */
export const levelIn = (body: string | null): Level | null => (body === null ? null : ownLevel(keptReport(body)))

interface Members {
  /** The number of the wave, from 1; 0 for agents that are left out. */
  wave: number
  agents: readonly RolloutCandidate[]
  /** The reason for which these agents are left out. */
  why?: RolloutCandidate['leftOut']
}

/** The number of agents that one statement adds. */
const addedAtOnce = 2500

/**
 * Stores agents of a rollout. The rows are selected from the table `agent`, because a parameter for each value would
 * take longer.
 */
export async function addMembers(trx: Db, { id }: { id: string }, { wave, agents, why }: Members): Promise<void> {
  for (const piece of piecesOf(agents, addedAtOnce)) {
    const ids = piece.map((agent) => agent.id)
    await trx
      .insertInto('rollout_agent')
      .columns(['rollout_id', 'agent_id', 'wave', 'state', 'reason', 'forgiven', 'left_out_for'])
      .expression((eb) =>
        eb
          .selectFrom('agent')
          .select([
            eb.val(id).as('rollout_id'),
            'agent.id',
            eb.lit(wave).as('wave'),
            eb.val(wave === 0 ? 'left_out' : 'untouched').as('state'),
            eb.val(why?.message ?? null).as('reason'),
            eb.lit(0).as('forgiven'),
            eb.val(why?.rollout?.id ?? null).as('left_out_for'),
          ])
          .where('agent.id', 'in', textsIn(trx, ids)),
      )
      .execute()
  }
}

/** The agents of a rollout, including those left out; with `open` only those whose outcome is unknown. */
export async function membersOfRollout(db: Db, rollout: { id: string }, open: boolean): Promise<RolloutMember[]> {
  const rows = await db
    .selectFrom('rollout_agent')
    .innerJoin('agent', 'agent.id', 'rollout_agent.agent_id')
    .selectAll('rollout_agent')
    .select('agent.name')
    .where('rollout_id', '=', rollout.id)
    .$if(open, (q) => q.where('state', '=', 'wished'))
    .orderBy('agent_id')
    .execute()
  return rows.map((row) => ({
    agentId: row.agent_id,
    name: row.name,
    wave: row.wave,
    state: row.state,
    reason: row.reason,
    levelBefore: row.level_before,
    wishedAt: row.wished_at,
    worseAt: row.worse_at,
    forgiven: row.forgiven === 1,
  }))
}
