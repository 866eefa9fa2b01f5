/**
 * The tools of an assistant that asks with `svc-server mcp` (service/cli/mcp.ts). Each is a command that only reads,
 * for a member of one workspace. Nobody types these commands, so the help does not list them.
 */
import { agents, alerts, history, type Operation } from '@svc/api'
import { safeJson, shown } from '@svc/protocol'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import { firstThatFit } from '../../web/queries/fitting.ts'
import { defineCommand, type OperatorCommand } from '../shared/command.ts'
import { findByFilter } from '../shared/filter.ts'
import {
  type CommandCall,
  type OperatorRequest,
  orUsageError,
  RefusedError,
  rawOption,
  readOptions,
} from '../shared/request.ts'
import { listedAgent } from './agent.ts'

/** The maximum and the default number of items that a tool returns. */
export const itemLimits = {
  fleet: { max: 200, default: 50 },
  runs: { max: 100, default: 20 },
} as const
/** The number of the newest runs in the answer about an agent. */
const runsOfAgent = 10
/** The maximum number of alerts and changes that are read. */
const [alertsRead, changesRead] = [500, 10_000]
/**
 * The maximum bytes of an answer as JSON, without the keys around its items. With these keys and the sentence with
 * which mcp.ts begins every answer, the answer stays below 64 KB.
 */
const maxBytes = 60 * 1024

/**
 * Loads the code with which all tools read, at the first command of an assistant. An upgrade replaces the files of the
 * program while it runs, so what is loaded later could be missing.
 */
const loadReads = () => import('./assistant-reads.ts')

interface Tool {
  says: string
  /** The operation with which the page reads the same data. */
  operation: Operation
  run: (call: CommandCall, workspace: WorkspaceInfo) => Promise<object>
}

export const assistantTools = {
  fleet: {
    says: 'List the agents of the workspace, or those that a filter such as "level:bad host:build-*" selects, with their levels and labels.',
    operation: agents.fleet,
    run: async (call, workspace) => {
      const { listAgents } = await loadReads()
      const limit = limitIn(call, itemLimits.fleet.default)
      const filter = rawOption(call, 'filter') ?? ''
      const { rows, idle } = await findByFilter(filter, (q) => listAgents(call.store.db, workspace, call.now(), q))
      const listed = itemsWithin(rows.slice(0, limit).map(listedAgent), rows.length)
      return idle.length > 0 ? { ...listed, idleTerms: idle } : listed
    },
  },
  agent: {
    says: `Show one agent: its last report, its updates and its newest ${runsOfAgent} runs.`,
    operation: agents.showAgent,
    run: async (call, workspace) => {
      const { agentSnapshot, readRuns } = await loadReads()
      const agent = await agentIn(call, workspace, 'name')
      const { total } = await readRuns(call.store.db, agent, newestFirst, { offset: 0, limit: 0 })
      return agentWithin(await agentSnapshot(call.store.db, agent, call.now(), runsOfAgent), total)
    },
  },
  runs: {
    says: 'List the newest runs of an agent, with their status, duration, models and cost.',
    operation: agents.runs,
    run: async (call, workspace) => {
      const { readRuns } = await loadReads()
      const limit = limitIn(call, itemLimits.runs.default)
      const agent = await agentIn(call, workspace, 'agent')
      const { rows, total } = await readRuns(call.store.db, agent, newestFirst, { offset: 0, limit })
      return itemsWithin(rows, total)
    },
  },
  alerts: {
    says: 'List the alerts of the workspace that have not ended, or with "all" also those that ended, the newest first.',
    operation: alerts.alerts,
    run: async (call, workspace) => {
      const { countAlerts, listAlerts } = await loadReads()
      const asked = { all: call.options.all === true }
      const rows = await listAlerts(call.store.db, workspace, { ...asked, limit: alertsRead })
      const total = rows.length < alertsRead ? rows.length : await countAlerts(call.store.db, workspace, asked)
      return itemsWithin(withoutAddresses(rows), total)
    },
  },
  history: {
    says: 'List what changed about an agent since a time, by default in the last day, the oldest first: levels, times offline, versions, commands, failed runs and alerts.',
    operation: history.changes,
    run: async (call, workspace) => {
      const { readHistoryChanges } = await loadReads()
      const agent = await agentIn(call, workspace, 'agent')
      const now = call.now()
      const time = orUsageError(() => history.periodOf(readOptions(call, history.changes, 'since'), now, 'since'))
      const changes = await readHistoryChanges(call.store.db, agent, { ...time, now, limit: changesRead })
      const known = changes.map((one) => (one.what === 'setting' ? { ...one, from: null, to: null } : one))
      const { items, leftOut } = itemsWithin(known.reverse(), known.length)
      return { items: items.reverse(), leftOut }
    },
  },
} satisfies Record<string, Tool>

export type AssistantTool = keyof typeof assistantTools

/**
 * The request with which `svc-server mcp` calls a tool, or checks at its start that the person may read the workspace.
 * `given` are the arguments of the tool.
 */
export const assistantRequest = (
  { workspace, as }: { workspace: string; as: string },
  given: Readonly<Record<string, unknown>> = {},
): OperatorRequest => {
  const options = Object.entries({ ...given, workspace, as }).map(([name, value]) => [
    name,
    typeof value === 'number' ? String(value) : value,
  ])
  return { args: [], options: Object.fromEntries(options), input: '' }
}

export const assistantCommand = (tool: AssistantTool | 'start'): string => `assistant ${tool}`

const logFields = ({ options }: OperatorRequest) => ({ workspace: options.workspace, person: options.as })

export const assistantCommands: Readonly<Record<string, OperatorCommand>> = {
  [assistantCommand('start')]: defineCommand({
    says: 'check that a person may read a workspace',
    logged: logFields,
    run: async (call) => ({ workspace: (await readableWorkspace(call)).slug }),
    show: safeJson,
  }),
  ...Object.fromEntries(
    (Object.entries(assistantTools) as [AssistantTool, Tool][]).map(([name, { says, run }]) => [
      assistantCommand(name),
      defineCommand({ says, logged: logFields, at: readableWorkspace, run, show: safeJson }),
    ]),
  ),
}

/**
 * The workspace of the call, if the person of `--as` is a member and not disabled. Each call checks this, as each
 * request of a page does (I33). The refusal does not repeat the name of the person.
 */
async function readableWorkspace(call: CommandCall): Promise<WorkspaceInfo> {
  const { findNamed, findWorkspace, rightsIn } = await loadReads()
  const { db } = call.store
  const slug = rawOption(call, 'workspace') ?? ''
  const workspace = await findWorkspace(db, slug)
  const person = await findNamed(db, rawOption(call, 'as') ?? '')
  // The operator runs this, so there is no session.
  const session = { id: '' }
  const rights = workspace && person && (await rightsIn(db, workspace, { person, session }, { now: call.now() }))
  if (rights) return workspace
  throw new RefusedError(`The person of --as is no member of a workspace ${shown(slug)}, or is disabled.`)
}

const newestFirst = { sort: 'started' } as const

async function agentIn(call: CommandCall, workspace: WorkspaceInfo, option: 'name' | 'agent') {
  const { findAgent } = await loadReads()
  const name = rawOption(call, option) ?? ''
  if (name.includes('/')) throw new RefusedError(`Name an agent without its workspace: got ${shown(name)}.`)
  const agent = await findAgent(call.store.db, workspace, name)
  if (agent) return agent
  throw new RefusedError(`There is no agent ${shown(name)} in this workspace.`)
}

/** The number of items that the assistant wants. `svc-server mcp` has checked it. */
const limitIn = (call: CommandCall, otherwise: number): number => Number(rawOption(call, 'limit') ?? otherwise)

/**
 * The first items of a list, as many as fit in an answer, and the number of all `total` items that are left out.
 */
function itemsWithin<T>(all: readonly T[], total: number): { items: T[]; leftOut: number } {
  const items = firstWithin(all, maxBytes)
  return { items, leftOut: total - items.length }
}

const firstWithin = <T>(all: readonly T[], bytes: number): T[] => firstThatFit(all, (item) => bytesOf(item) + 1, bytes)

/** The size of a value as it is printed, where characters that could steer a terminal are escaped. */
const bytesOf = (value: unknown): number => Buffer.byteLength(safeJson(value))

type Snapshot = Awaited<ReturnType<typeof import('../../web/queries/agents.ts')['agentSnapshot']>>

/** The parts of a report that are shortened until the answer is small enough, the least important first. */
const shortenedParts = ['panels', 'runs', 'active', 'gauges', 'health'] as const

/** An agent without its account and the values of its settings, shortened until the answer is small enough. */
function agentWithin({ report: whole, ...about }: Snapshot, runsKept: number): object {
  const agent = { ...about, updates: withoutAddresses(about.updates) }
  if (!whole) return { ...agent, report: null, leftOut: {} }
  const { account: _, settings, ...rest } = whole
  const leftOut: Record<string, number> = { runs: runsKept - whole.runs.length }
  const report: Record<string, unknown> = {
    ...rest,
    ...(settings?.schema && { settings: { schema: settings.schema } }),
  }
  const size = () => bytesOf({ ...agent, report, leftOut })
  if (size() > maxBytes && settings?.schema) {
    delete report.settings
    leftOut.settings = settings.schema.length
  }
  for (const name of shortenedParts) {
    const list = report[name]
    if (!Array.isArray(list) || size() <= maxBytes) continue
    report[name] = []
    const kept = firstWithin(list, maxBytes - size())
    report[name] = kept
    leftOut[name] = (leftOut[name] ?? 0) + list.length - kept.length
  }
  return { ...agent, report, leftOut: onlyCounts(leftOut) }
}

const onlyCounts = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

/** A value in which no person is named by an address. Somebody may have typed one as their name. */
const withoutAddresses = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (key, one: unknown) =>
    personKeys.has(key) && typeof one === 'string' && one.includes('@') ? 'a member' : one,
  ) as T

/** The keys whose values are names of people, in alerts and in updates. */
const personKeys: ReadonlySet<string> = new Set(['by', 'wishedBy'])
