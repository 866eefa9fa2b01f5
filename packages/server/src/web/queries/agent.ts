import type { AgentPage, LevelChange, MachineChange, Role } from '@svc/api'
import { pausedLabel, readPause, type SettingValue } from '@svc/protocol'
import { logNamesOf, openCommands } from '../../fleet/commands/store.ts'
import { storedReport } from '../../fleet/reports/body.ts'
import { pendingUsage } from '../../fleet/reports/pending.ts'
import { twoReporters } from '../../fleet/reports/reporters.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { dayOf } from '../../platform/limits/units.ts'
import { bindingsOf } from './bindings.ts'
import { listedCommand } from './commands.ts'
import { fitting, jsonBytes } from './fitting.ts'
import { fleetRows } from './fleet-rows.ts'
import { agentUpdates } from './updates.ts'

/** An agent's page: the last report as it was received (I9), and what the service stores with it. */
export async function agentPage(db: Db, agent: AgentRow, role: Role, now: number): Promise<AgentPage> {
  const last = await db
    .selectFrom('agent_report')
    .select(['received_at', 'interval_s', 'reporters', 'runs_kept', 'body', 'usage'])
    .where('agent_id', '=', agent.id)
    .executeTakeFirst()
  const row = (await fleetRows(db, agent.workspace_id, dayOf(now), [agent.id])).get(agent.id)
  const report = last ? storedReport(last.body) : null
  return {
    now,
    name: agent.name,
    tags: row?.tags ?? [],
    createdAt: agent.created_at,
    createdBy: agent.created_by,
    blueprint: agent.blueprint,
    versions: {
      installed: agent.installed_version,
      running: agent.reported_version,
      previous: agent.previous_version,
    },
    updates: await agentUpdates(db, agent, now),
    bindings: await bindingsOf(db, agent, report?.health ?? [], now),
    machineChanges: await machineChangesOf(db, agent, 50),
    seenAt: last?.received_at ?? null,
    silentAt: row?.silentAt ?? null,
    stopped: row?.stopped ?? null,
    statusAt: row?.statusAt ?? null,
    statusOld: row?.statusOld ?? false,
    statusLate: row?.statusLate ?? false,
    secretsMissing: row?.secretsMissing ?? false,
    nextReportAt: last && !row?.stopped ? last.received_at + last.interval_s * 1000 : null,
    pausedBy: await pausedBy(db, agent, report),
    twoReporters: last ? twoReporters(last.reporters) : false,
    report,
    runs: {
      kept: last?.runs_kept ?? 0,
      statuses: fittingNames(await statusesOf(db, agent)).sort(),
      models: fittingNames(await modelsOf(db, agent, last?.usage ?? null)).sort(),
    },
    logs: fittingNames(await logNamesOf(db, agent)).sort(),
    costToday: row?.costToday ?? null,
    cost30: row?.cost30 ?? null,
    open: (await openCommands(db, agent, now)).map((command) => listedCommand(command, null)),
    canAct: role === 'admin',
  }
}

async function pausedBy(db: Db, agent: { id: string }, report: AgentPage['report']): Promise<string | null> {
  const command = report?.state?.label === pausedLabel ? readPause(report.state.detail ?? '')?.command : undefined
  if (command === undefined) return null
  const row = await db
    .selectFrom('command')
    .select('created_by_name')
    .where('id', '=', command)
    .where('agent_id', '=', agent.id)
    .executeTakeFirst()
  return row?.created_by_name ?? null
}

async function statusesOf(db: Db, agent: { id: string }): Promise<string[]> {
  const rows = await db.selectFrom('run').select('status').distinct().where('agent_id', '=', agent.id).execute()
  return rows.flatMap(({ status }) => (status === null ? [] : [status]))
}

/** The names of the models that the agent used, the most recently used ones first. */
async function modelsOf(db: Db, agent: { id: string }, usage: string | null): Promise<Set<string>> {
  const rows = await db
    .selectFrom('usage_day')
    .select('model')
    .where('agent_id', '=', agent.id)
    .where('model', '!=', '')
    .orderBy('day', 'desc')
    .limit(modelRowsRead)
    .execute()
  const models = [...pendingUsage(usage), ...rows].map(({ model }) => model)
  return new Set(models.filter((model) => model !== ''))
}

/**
 * The maximum number of rows of daily sums that are read to find the names of models, enough for 200 models on each of
 * ten days.
 */
const modelRowsRead = 2000
/**
 * The maximum bytes of a list of names from which a person can choose. If there are more names, only the first ones are
 * sent.
 */
const maxNamesBytes = 32 * 1024

const fittingNames = (names: Iterable<string>): string[] => fitting(names, (name) => jsonBytes(name) + 1, maxNamesBytes)

/** The level changes of an agent, newest first. */
export const levelsOf = (db: Db, agent: { id: string }, limit: number): Promise<LevelChange[]> =>
  db
    .selectFrom('level_change')
    .select(['at', 'level', 'label'])
    .where('agent_id', '=', agent.id)
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()

/** The changes that were made on an agent's machine and not by a command of the service, newest first. */
export async function machineChangesOf(db: Db, agent: { id: string }, limit: number): Promise<MachineChange[]> {
  const rows = await db
    .selectFrom('machine_change')
    .select(['at', 'kind', 'key', 'before', 'after'])
    .where('agent_id', '=', agent.id)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ before, after, ...change }) => ({
    ...change,
    before: JSON.parse(before) as SettingValue,
    after: JSON.parse(after) as SettingValue,
  }))
}
