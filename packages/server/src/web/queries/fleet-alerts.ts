/** The alerts of a workspace as the rows of its fleet list count them. */
import type { FleetRow } from '@svc/api'
import { isObject } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'

/** A function that counts the alerts of an agent. */
export type AlertsOf = (agent: { id: string; name: string }) => FleetRow['alerts']

const none: FleetRow['alerts'] = { open: 0, acknowledged: 0 }

/**
 * Reads the alerts of a workspace that have not ended, and returns the function that counts those of an agent. An alert
 * about many offline agents counts for each agent that it names.
 */
export async function fleetAlerts(db: Db, workspaceId: string): Promise<AlertsOf> {
  const rows = await db
    .selectFrom('alert')
    .select(['subject_kind', 'subject_id', 'agents', 'acknowledged_at'])
    .where('scope', '=', workspaceId)
    .where('ended_at', 'is', null)
    .where('opened_at', 'is not', null)
    .execute()
  const byId = new Map<string, FleetRow['alerts']>()
  const byName = new Map<string, FleetRow['alerts']>()
  for (const { subject_kind, subject_id, agents, acknowledged_at } of rows) {
    const state = acknowledged_at === null ? 'open' : 'acknowledged'
    if (subject_kind === 'agent') addTo(byId, subject_id, state)
    else for (const name of agentNamesIn(agents)) addTo(byName, name, state)
  }
  return ({ id, name }) => sum(byId.get(id), byName.get(name))
}

function addTo(counts: Map<string, FleetRow['alerts']>, key: string, state: keyof FleetRow['alerts']): void {
  const known = counts.get(key) ?? none
  counts.set(key, { ...known, [state]: known[state] + 1 })
}

const sum = (a: FleetRow['alerts'] = none, b: FleetRow['alerts'] = none): FleetRow['alerts'] =>
  b === none ? a : { open: a.open + b.open, acknowledged: a.acknowledged + b.acknowledged }

/** The names in the list of an alert about many agents. */
function agentNamesIn(json: string | null): string[] {
  const list: unknown = json === null ? null : JSON.parse(json)
  return isObject(list) && Array.isArray(list.names) ? list.names.filter((name) => typeof name === 'string') : []
}
