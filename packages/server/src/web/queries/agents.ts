/** Agents as the operator's command line shows them. */
import type { FleetRow } from '@svc/api'
import { type Grouping, isOffline, judgeOf } from '@svc/api/filter'
import { limits, type Run } from '@svc/protocol'
import { readTags } from '../../fleet/agents/tags.ts'
import { storedReport } from '../../fleet/reports/body.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { sortInSlices } from '../../platform/http/slices.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { byText } from '../../platform/lists.ts'
import { statusAge } from './age.ts'
import { filterOf } from './filter.ts'
import { workspaceTurns } from './fleet.ts'
import { type AgentColumns, fleetPieces } from './fleet-rows.ts'
import { groupsIn } from './groups.ts'
import { agentUpdates } from './updates.ts'

/**
 * Returns the agents of a workspace that a filter selects, sorted by name. `idle` has the negated terms of the filter
 * that exclude no agent, as typed. Throws FilterInvalid.
 */
export async function listAgents(db: Db, workspace: { id: string }, now: number, filter = '') {
  const take = (columns: AgentColumns, facts: FleetRow) => listedAgent(columns, facts, now)
  const { rows, idle } = await selectedAgents(db, workspace, { now, filter }, take)
  return {
    rows: await workspaceTurns.run(
      workspace.id,
      sortInSlices(rows, (a, b) => byText(a.name, b.name)),
    ),
    idle,
  }
}

/** Returns the groups of the agents that a filter selects, and `idle` as in `listAgents`. Throws FilterInvalid. */
export async function listGroups(db: Db, workspace: { id: string }, by: Grouping, now: number, filter = '') {
  const { rows, idle } = await selectedAgents(db, workspace, { now, filter }, (_, facts) => facts)
  return { rows: await workspaceTurns.run(workspace.id, groupsIn(rows, by, now)), idle }
}

async function selectedAgents<T>(
  db: Db,
  workspace: { id: string },
  { now, filter }: { now: number; filter: string },
  take: (columns: AgentColumns, facts: FleetRow) => T,
): Promise<{ rows: T[]; idle: string[] }> {
  const judge = judgeOf(filterOf({ q: filter }), now)
  const selects = judge.selects()
  const rows: T[] = []
  let held = 0
  for await (const piece of fleetPieces(db, workspace.id, dayNumber(now)))
    for (const [columns, facts] of piece) {
      const holding = judge.holding(facts)
      held |= holding
      if (selects(holding)) rows.push(take(columns, facts))
    }
  return { rows, idle: judge.idle(held).map(({ at, length }) => filter.slice(at, at + length)) }
}

function listedAgent(columns: AgentColumns, facts: FleetRow, now: number) {
  const { name, received_at, level, label, version, blueprint, stopped, detail } = columns
  const { host, tags } = facts
  const age = statusAge(columns)
  return {
    ...{ name, received_at, level, label, version, blueprint, stopped, detail },
    ...{ age, host, tags, offline: isOffline(facts, now) },
  }
}

/** The output of `agent show`: an agent as the page shows it and its newest runs. `seenAt` is in Unix milliseconds. */
export async function agentSnapshot(db: Db, agent: AgentRow, now: number, maxRuns: number = limits.runsKept) {
  const row = await db
    .selectFrom('agent_report')
    .select(['received_at', 'version', 'body', 'status_at', 'warnings', 'stopped'])
    .where('agent_id', '=', agent.id)
    .executeTakeFirst()
  const runs = await db
    .selectFrom('run')
    .select('body')
    .where('agent_id', '=', agent.id)
    .orderBy('place', 'desc')
    .orderBy('seq', 'desc')
    .limit(maxRuns)
    .execute()
  const report = row && storedReport(row.body)
  const updates = await agentUpdates(db, agent, now)
  return {
    name: agent.name,
    tags: (await readTags(db, [agent.id])).get(agent.id) ?? [],
    seenAt: row?.received_at ?? null,
    report: report ? { ...report, runs: runs.map(({ body }) => JSON.parse(body) as Run) } : null,
    blueprint: agent.blueprint,
    version: row?.version ?? null,
    runtime: report?.runtime ?? null,
    stopped: row?.stopped ?? null,
    ...statusAge(row),
    /** The versions that are wished and held; more about them is in the field `updates`. */
    wishes: { blueprint: updates.blueprint?.wish?.version ?? null, runtime: updates.runtime.wish?.version ?? null },
    holds: { blueprint: updates.blueprint?.hold?.version ?? null, runtime: updates.runtime.hold?.version ?? null },
    updates,
  }
}
