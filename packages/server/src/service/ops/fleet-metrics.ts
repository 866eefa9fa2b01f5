/**
 * The metrics of each agent for Prometheus, at `/metrics/fleet` (docs/operator.md). They are read and written in
 * slices, so that reports are answered in between, and kept as text for a moment.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isOffline, levelOf } from '@svc/api/filter'
import { type Level, type Gauge as ReportedGauge, safeLine } from '@svc/protocol'
import { Gauge, Registry } from 'prom-client'
import { readBodies } from '../../fleet/reports/bodies.ts'
import { ownProduct } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { piecesOf } from '../../platform/lists.ts'
import { type AgentColumns, costSums, costsOf, levelFactsOf, readAgentColumns } from '../../web/queries/fleet-rows.ts'
import { cached } from './cached.ts'

/** The number of agents that are read and written at a time. */
const agentsAtOnce = 200
/** The number of lines that are written at a time. */
const samplesAtOnce = 250
/** The maximum number of gauges of an agent. */
const gaugesOfAgent = 5
/** The milliseconds for which the text is kept, and those for costs and gauges, which take longer to read. */
const [keptMs, costsKeptMs] = [10_000, 60_000]

const agentLabels = ['workspace', 'agent']
const metrics = {
  svc_agent_level: {
    help: 'The level of an agent as the list shows it: 0 OK or Info, 1 Warning, 2 Bad.',
    labelNames: agentLabels,
  },
  svc_agent_offline: { help: '1 if the reports of an agent stay away, else 0.', labelNames: agentLabels },
  svc_agent_report_age_seconds: { help: 'The time since the last report of an agent.', labelNames: agentLabels },
  svc_agent_cost_usd_today: { help: 'The cost of an agent today (UTC), in US dollars.', labelNames: agentLabels },
  svc_agent_gauge: {
    help: `The first ${gaugesOfAgent} gauges of the last report of an agent.`,
    labelNames: [...agentLabels, 'gauge'],
  },
  svc_alerts_open: {
    help: 'Alerts of a workspace that have opened and have not ended.',
    labelNames: ['workspace', 'rule', 'level'],
  },
  svc_agents_left_out: {
    help: 'Agents beyond the first SVC_METRICS_AGENTS, which have no lines here.',
    labelNames: [],
  },
} as const
type Metric = keyof typeof metrics

const levelNumbers: Readonly<Record<Level, number>> = { ok: 0, info: 0, warn: 1, bad: 2 }

interface MetricsParts {
  db: Db
  now: () => number
  /** The maximum number of agents, the first ones by workspace and name. */
  maxAgents: number
}

/** Returns a function that returns the text of `/metrics/fleet` in pieces. */
export function fleetMetrics(read: MetricsParts): () => Promise<readonly Uint8Array[]> {
  const costs = cached(() => linesOfCosts(read), costsKeptMs)
  return cached(async () => {
    const lines: Lines = { ...(await costs()), ...(await linesOfStates(read)) }
    return (Object.keys(metrics) as Metric[]).flatMap((name) => [headOf(name), ...(lines[name] ?? [])])
  }, keptMs)
}

const headOf = (name: Metric): Uint8Array => Buffer.from(`# HELP ${name} ${metrics[name].help}\n# TYPE ${name} gauge\n`)

/** The lines of each metric, in pieces. */
type Lines = Partial<Record<Metric, Uint8Array[]>>
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

/** Adds the lines of samples, some in each turn of the event loop. prom-client escapes their labels. */
async function add(lines: Lines, name: Metric, samples: readonly Sample[]): Promise<void> {
  const { help, labelNames } = metrics[name]
  const pieces = lines[name] ?? []
  lines[name] = pieces
  for (const some of piecesOf(samples, samplesAtOnce)) {
    const registry = new Registry()
    const gauge = new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
    for (const [labels, value] of some) gauge.set(labels, value)
    const text = await registry.getSingleMetricAsString(name)
    // The first two lines describe the metric. They are left out, because `headOf` writes them once for all pieces.
    pieces.push(Buffer.from(`${text.slice(text.indexOf('\n', text.indexOf('\n') + 1) + 1)}\n`))
    await nextTurn()
  }
}

async function linesOfStates({ db, now, maxAgents }: MetricsParts): Promise<Lines> {
  const lines: Lines = {}
  const workspaces = await measuredWorkspaces(db)
  for await (const { workspace, agents } of agentSlices(db, workspaces, maxAgents)) {
    const at = now()
    const labels = labelsOf(workspace, agents)
    const facts = agents.map(levelFactsOf)
    addForAgents(lines, 'svc_agent_level', labels, (i) => {
      const level = levelOf(facts[i] as AgentLevelFacts)
      return level === null ? undefined : levelNumbers[level]
    })
    addForAgents(lines, 'svc_agent_offline', labels, (i) => Number(isOffline(facts[i] as AgentLevelFacts, at)))
    addForAgents(lines, 'svc_agent_report_age_seconds', labels, (i) => {
      const seenAt = facts[i]?.seenAt ?? null
      return seenAt === null ? undefined : Math.max(0, (at - seenAt) / 1000)
    })
    await nextTurn()
  }
  await add(lines, 'svc_alerts_open', await openAlerts(db, workspaces))
  await add(lines, 'svc_agents_left_out', [[{}, Math.max(0, (await countAgents(db, workspaces)) - maxAgents)]])
  return lines
}

type AgentLevelFacts = ReturnType<typeof levelFactsOf>

/** The labels of agents, in braces. Names and slugs need no other escapes than those of JSON. */
const labelsOf = ({ slug }: MeasuredWorkspace, agents: readonly AgentColumns[]): string[] =>
  agents.map(({ name }) => `{workspace=${JSON.stringify(slug)},agent=${JSON.stringify(name)}}`)

/** Adds a line for each agent of which `valueAt` knows the value. */
function addForAgents(
  lines: Lines,
  name: Metric,
  labels: readonly string[],
  valueAt: (index: number) => number | undefined,
): void {
  let text = ''
  for (const [i, label] of labels.entries()) {
    const value = valueAt(i)
    if (value !== undefined) text += `${name}${label} ${value}\n`
  }
  const pieces = lines[name] ?? []
  pieces.push(Buffer.from(text))
  lines[name] = pieces
}

async function linesOfCosts({ db, now, maxAgents }: MetricsParts): Promise<Lines> {
  const lines: Lines = {}
  for await (const { workspace, agents } of agentSlices(db, await measuredWorkspaces(db), maxAgents)) {
    const ids = agents.map(({ id }) => id)
    const today = dayNumber(now())
    const sums = await costSums(db, workspace.id, today, ids, 1)
    const costs = agents.map(({ id, usage }) => costsOf(sums.get(id), usage, today).costToday ?? 0)
    addForAgents(lines, 'svc_agent_cost_usd_today', labelsOf(workspace, agents), (i) => costs[i])
    const names = new Map(agents.map(({ id, name }) => [id, name]))
    const gauges: Sample[] = []
    for await (const [id, report] of readBodies(db, ids))
      for (const [gauge, used] of firstGauges(report?.gauges))
        gauges.push([{ workspace: workspace.slug, agent: names.get(id) ?? '', gauge }, used])
    await add(lines, 'svc_agent_gauge', gauges)
  }
  return lines
}

/**
 * The first gauges that have a name and a number, by their names without control characters. If several gauges have the
 * same name, the first counts.
 */
function firstGauges(gauges: readonly ReportedGauge[] = []): Map<string, number> {
  const first = new Map<string, number>()
  for (const { name, used } of gauges) {
    const label = safeLine(name ?? '')
    if (label === '' || used === undefined || first.has(label)) continue
    first.set(label, used)
    if (first.size === gaugesOfAgent) break
  }
  return first
}

interface MeasuredWorkspace {
  id: string
  slug: string
}

/** The workspaces that are activated and not deleted. */
const measuredWorkspaces = (db: Db): Promise<MeasuredWorkspace[]> =>
  db
    .selectFrom('workspace')
    .innerJoin('workspace_product', 'workspace_product.workspace_id', 'workspace.id')
    .select(['workspace.id', 'slug'])
    .where('product_id', '=', ownProduct)
    .where('workspace.id', 'not in', db.selectFrom('workspace_deleted').select('workspace_id'))
    .orderBy('slug')
    .execute()

/** The first `maxAgents` agents by workspace and name, some at a time. */
async function* agentSlices(
  db: Db,
  workspaces: readonly MeasuredWorkspace[],
  maxAgents: number,
): AsyncGenerator<{ workspace: MeasuredWorkspace; agents: AgentColumns[] }> {
  let left = maxAgents
  for (const workspace of workspaces)
    for (let last = '', more = true; more && left > 0; ) {
      const wanted = Math.min(agentsAtOnce, left)
      const named = await db
        .selectFrom('agent')
        .select(['id', 'name'])
        .where('workspace_id', '=', workspace.id)
        .where('name', '>', last)
        .orderBy('name')
        .limit(wanted)
        .execute()
      await nextTurn()
      more = named.length === wanted
      last = named.at(-1)?.name ?? ''
      left -= named.length
      if (named.length === 0) continue
      const ids = named.map(({ id }) => id)
      const agents = await readAgentColumns(db, workspace.id, ids)
      await nextTurn()
      yield { workspace, agents }
    }
}

async function countAgents(db: Db, workspaces: readonly MeasuredWorkspace[]): Promise<number> {
  let count = 0
  for (const { id } of workspaces) {
    const query = db.selectFrom('agent').select(({ fn }) => fn.countAll<number>().as('agents'))
    count += Number((await query.where('workspace_id', '=', id).executeTakeFirstOrThrow()).agents)
    await nextTurn()
  }
  return count
}

async function openAlerts(db: Db, workspaces: readonly MeasuredWorkspace[]): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const { id, slug } of workspaces) {
    const rows = await db
      .selectFrom('alert')
      .select(({ fn }) => ['rule', 'level', fn.countAll<number>().as('alerts')])
      .where('scope', '=', id)
      .where('ended_at', 'is', null)
      .where('opened_at', 'is not', null)
      .groupBy(['rule', 'level'])
      .execute()
    for (const { rule, level, alerts } of rows) samples.push([{ workspace: slug, rule, level }, Number(alerts)])
    await nextTurn()
  }
  return samples
}
