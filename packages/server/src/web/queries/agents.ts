/** Agents as the operator's command line shows them. */
import { idleTerms, isSilent, selector } from '@svc/api/filter'
import { limits, type Run } from '@svc/protocol'
import { storedReport } from '../../agent-api/report-store/body.ts'
import { tagsOf } from '../../fleet/agents/tags.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { dayOf } from '../../platform/limits/units.ts'
import { byText } from '../../platform/order.ts'
import { statusAge } from './age.ts'
import { filterOf } from './filter.ts'
import { fleetRows } from './fleet-rows.ts'
import { agentUpdates } from './updates.ts'

/**
 * Returns the agents of a workspace that a filter selects, sorted by name, with the time and the facts of their last
 * reports. Throws FilterInvalid.
 */
export async function listAgents(db: Db, workspace: { id: string }, now: number, filter = '') {
  const selects = selector(filterOf({ q: filter }), now)
  const facts = [...(await fleetRows(db, workspace.id, dayOf(now))).values()].filter(selects)
  const byName = new Map(facts.map((row) => [row.name, row]))
  const rows = await db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['agent.name', 'agent.created_at', 'received_at', 'level', 'label', 'version', 'blueprint'])
    .select(['status_at', 'warnings', 'stopped', 'detail'])
    .where('workspace_id', '=', workspace.id)
    .execute()
  return rows
    .sort((a, b) => byText(a.name, b.name))
    .flatMap((row) => {
      const found = byName.get(row.name)
      if (!found) return []
      const { host, tags } = found
      return { ...row, age: statusAge(row, now), host, tags, offline: isSilent(found, now) }
    })
}

/** The negated terms of a filter that exclude no agent of the workspace, as they are typed. */
export async function idleIn(db: Db, workspace: { id: string }, now: number, filter: string): Promise<string[]> {
  const terms = filterOf({ q: filter })
  if (!terms.some(({ negated }) => negated)) return []
  const rows = await fleetRows(db, workspace.id, dayOf(now))
  return idleTerms(terms, rows.values(), now).map(({ at, length }) => filter.slice(at, at + length))
}

/** The output of `agent show`: the agent as the page shows it. `seenAt` is in Unix milliseconds. */
export async function agentSnapshot(db: Db, agent: AgentRow, now: number) {
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
    .limit(limits.runsKept)
    .execute()
  const report = row && storedReport(row.body)
  const updates = await agentUpdates(db, agent, now)
  return {
    name: agent.name,
    tags: (await tagsOf(db, [agent.id])).get(agent.id) ?? [],
    seenAt: row?.received_at ?? null,
    report: report ? { ...report, runs: runs.map(({ body }) => JSON.parse(body) as Run) } : null,
    blueprint: agent.blueprint,
    version: row?.version ?? null,
    runtime: report?.runtime ?? null,
    stopped: row?.stopped ?? null,
    ...statusAge(row, now),
    /** The versions that are wished and held. The field `updates` has more about them. */
    wishes: { blueprint: updates.blueprint?.wish?.version ?? null, runtime: updates.runtime.wish?.version ?? null },
    holds: { blueprint: updates.blueprint?.hold?.version ?? null, runtime: updates.runtime.hold?.version ?? null },
    updates,
  }
}
