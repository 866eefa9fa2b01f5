/** Reads the whole store in the form that the checker needs. */
import type { Db } from '../../src/platform/db/open.ts'
import type { Of } from '../checker/lines.ts'

/**
 * Reads what is stored about agents, commands, install codes and bots. `codes` maps each install code to the id of its
 * row.
 */
export async function viewOf(db: Db, codes: ReadonlyMap<string, string>): Promise<Of<'view'>> {
  const at = Date.now()
  const commands = await db.selectFrom('command').selectAll().execute()
  const agents = await db
    .selectFrom('agent')
    .leftJoin('agent_report', 'agent_report.agent_id', 'agent.id')
    .select(['agent.id', 'workspace_id', 'name', 'label', 'detail', 'body'])
    .execute()
  const runs = await db.selectFrom('run').select(['agent_id', 'id', 'place']).execute()
  const runsOf = Map.groupBy(runs, (run) => run.agent_id)
  const rows = await db.selectFrom('install_code').selectAll().execute()
  const tokens = await db.selectFrom('bot_token').select('agent_id').execute()
  const bots = await db.selectFrom('bot').select(['id', 'workspace_id']).execute()
  return {
    kind: 'view',
    at,
    commands: commands.map((c) => ({
      id: c.id,
      agent: c.agent_id,
      state: c.state,
      createdAt: c.created_at,
      deliveredAt: c.delivered_at,
    })),
    agents: agents.map((agent) => ({
      id: agent.id,
      workspace: agent.workspace_id,
      name: agent.name,
      shown: shownIn(agent),
      runs: (runsOf.get(agent.id) ?? []).map(({ id, place }) => ({ id, place })),
    })),
    codes: [...codes].flatMap(([code, id]) => {
      const row = rows.find((one) => one.id === id)
      if (!row) return []
      const of = tokens.filter(({ agent_id }) => agent_id === row.agent_id).length
      const bindings = (JSON.parse(row.bindings) as object[]).length
      return [{ code, used: row.redeemed_at !== null, agents: row.agent_id ? 1 : 0, tokens: of, bindings }]
    }),
    bots: bots.map(({ id, workspace_id }) => ({ id, workspace: workspace_id })),
  }
}

/**
 * For each part of the report that the service shows, the number of the report that it came from. Empty if the shown
 * report has no such parts, for example when it only brought old runs.
 */
function shownIn({
  label,
  detail,
  body,
}: {
  label: string | null
  detail: string | null
  body: string | null
}): string[] {
  if (label === null || body === null) return []
  const { state, gauges, panels } = JSON.parse(body) as {
    state?: { label?: string }
    gauges?: { name?: string }[]
    panels?: { lines?: string[] }[]
  }
  return [label, detail, state?.label, gauges?.[0]?.name, panels?.[0]?.lines?.[0]].map(String)
}
