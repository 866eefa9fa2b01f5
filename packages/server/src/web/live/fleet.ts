/**
 * Caches the rows of all agents of a workspace while its list is in use, because search, sort and counts need all rows.
 * All rows are read at first and again from time to time; in between, only agents that reported are read again.
 */
import { setImmediate } from 'node:timers/promises'
import type { FleetRow } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { piecesInTurns } from '../../platform/lists.ts'
import { type AlertsOf, fleetAlerts } from '../queries/fleet-alerts.ts'
import {
  type AgentColumns,
  agentIds,
  type CostsByAgent,
  costSums,
  costsOf,
  fleetAgentsAtOnce,
  readAgentColumns,
  readFleetRows,
} from '../queries/fleet-rows.ts'

/**
 * The milliseconds after which the whole fleet is read again. With SQLite every change comes through this process. With
 * PostgreSQL a command of the operator may have changed something without an announcement.
 */
const lifetimeMs = { sqlite: 600_000, postgres: 15_000 } as const
const unusedMs = 5 * 60_000
/**
 * The milliseconds after which the costs of all agents are read again. This is rare, because costs change only with a
 * report, and the costs of agents that reported are read with their rows.
 */
const costsLifetime = 5 * 60_000
/** The number of agents whose costs are read in one query. */
const costsAtOnce = 500
/** The number of agents above which an answer does not wait for costs that were never read. */
const manyAgents = 1_000

interface KeptFleet {
  /** The rows by agent id. The map is changed in place; a row is never changed, but replaced by a new one. */
  rows: Map<string, FleetRow>
  readAt: number
  usedAt: number
  day: number
  /** The ids of the agents that reported since the rows were last read. */
  stale: Set<string>
  whole: boolean
  /** The daily costs of agents, summed; undefined until they were read. */
  sums: CostsByAgent | undefined
  /** The time at which the costs of all agents were last read. */
  sumsAt: number
  /**
   * The first reading of all costs, while it is in progress, and the ids of the agents that reported after it began.
   */
  summing: { done: Promise<void>; reported: Set<string> } | undefined
  /**
   * The column `usage` of last reports, by agent id: daily sums that are not in `usage_day` yet. Kept only until the
   * costs of all agents are read.
   */
  waiting: Map<string, string | null>
  alerts: AlertsOf
  alertsChanged: boolean
  /** The reading of rows that is in progress; there is only one at a time for a workspace. */
  reading: Promise<void> | undefined
}

/** The rows of a workspace's agents by agent id. */
type Rows = ReadonlyMap<string, FleetRow>

/** The cached rows of the agents of all workspaces in use. */
export interface FleetCache {
  /** Returns the rows of the workspace's agents by agent id, with all changes that this node knows of. */
  read: (workspaceId: string) => Promise<Rows>
  /**
   * Returns the rows as `read` does, but does not wait for the costs of many agents if nobody has asked for them in the
   * last minutes. The costs are then null and `costsPending` is true. They are read next, and `costsRead` is called.
   */
  readRows: (workspaceId: string) => Promise<{ rows: Rows; costsPending: boolean }>
  reported: (workspaceId: string, agentId: string) => void
  listChanged: (workspaceId: string) => void
  alertsChanged: (workspaceId: string) => void
  /** Notes that announcements of changes in any workspace may have been lost, so all rows are read again. */
  missed: () => void
}

interface FleetSource {
  db: Db
  engine: 'sqlite' | 'postgres'
  now: () => number
  /** Called when costs were read that an answer did not wait for. */
  costsRead: (workspaceId: string) => void
  /** Called when costs that an answer did not wait for could not be read. The next request reads them again. */
  costsFailed: (error: unknown) => void
}

/** Creates the fleet cache of one process. */
export function fleetCache(source: FleetSource): FleetCache {
  const kept = new Map<string, KeptFleet>()

  function use(workspaceId: string): KeptFleet {
    const at = source.now()
    for (const [id, { usedAt }] of kept) if (at - usedAt > unusedMs) kept.delete(id)
    const fleet = kept.get(workspaceId) ?? newFleet()
    fleet.usedAt = at
    kept.set(workspaceId, fleet)
    return fleet
  }

  return {
    async read(workspaceId) {
      const fleet = use(workspaceId)
      await inTurn(fleet, () => refresh(source, workspaceId, fleet))
      if (fleet.sums) return fleet.rows
      await sumUp(source, workspaceId, fleet)
      // Agents that reported meanwhile are read again.
      await inTurn(fleet, () => refresh(source, workspaceId, fleet))
      return fleet.rows
    },
    async readRows(workspaceId) {
      const fleet = use(workspaceId)
      await inTurn(fleet, () => refresh(source, workspaceId, fleet))
      if (fleet.sums) return { rows: fleet.rows, costsPending: false }
      const isFirst = fleet.summing === undefined
      const summing = sumUp(source, workspaceId, fleet)
      if (fleet.rows.size <= manyAgents) {
        await summing
        await inTurn(fleet, () => refresh(source, workspaceId, fleet))
        return { rows: fleet.rows, costsPending: false }
      }
      if (isFirst) summing.then(() => source.costsRead(workspaceId), source.costsFailed)
      else summing.catch(() => {})
      return { rows: fleet.rows, costsPending: true }
    },
    reported(workspaceId, agentId) {
      const fleet = kept.get(workspaceId)
      fleet?.stale.add(agentId)
      fleet?.summing?.reported.add(agentId)
    },
    listChanged(workspaceId) {
      const fleet = kept.get(workspaceId)
      if (fleet) fleet.whole = true
    },
    alertsChanged(workspaceId) {
      const fleet = kept.get(workspaceId)
      if (fleet) fleet.alertsChanged = true
    },
    missed() {
      for (const fleet of kept.values()) fleet.whole = true
    },
  }
}

const newFleet = (): KeptFleet => ({
  ...{ rows: new Map(), readAt: 0, usedAt: 0, day: 0, stale: new Set(), whole: true, reading: undefined },
  ...{ sums: undefined, sumsAt: -Infinity, summing: undefined, waiting: new Map() },
  ...{ alerts: () => ({ open: 0, acknowledged: 0 }), alertsChanged: true },
})

/**
 * Does `work` on a fleet when the reading in progress has ended. The result of that reading cannot be used instead,
 * because it may miss what was committed just now.
 */
async function inTurn(fleet: KeptFleet, work: () => Promise<void>): Promise<void> {
  const before = fleet.reading
  const reading = (before ? before.catch(() => {}) : Promise.resolve()).then(work)
  fleet.reading = reading
  try {
    await reading
  } finally {
    if (fleet.reading === reading) fleet.reading = undefined
  }
}

/**
 * Reads the rows of agents that reported. Reads all rows if the lists of the workspace changed, if changes may have
 * been missed, on a new day, or when the last full reading is too old. If only alerts changed, only they are read.
 */
async function refresh(source: FleetSource, workspaceId: string, fleet: KeptFleet): Promise<void> {
  const { db, engine, now } = source
  const at = now()
  const today = dayNumber(at)
  const whole = fleet.whole || fleet.day !== today || at - fleet.readAt > lifetimeMs[engine] || fleet.readAt > at
  // `stale` is emptied before its agents are read, so that agents that report meanwhile are read the next time.
  const ids = fleet.stale
  const alertsChanged = fleet.alertsChanged || whole
  fleet.stale = new Set()
  fleet.alertsChanged = false
  if (whole) fleet.whole = false
  try {
    if (alertsChanged) fleet.alerts = await fleetAlerts(db, workspaceId)
    if (whole) {
      await readWhole(source, workspaceId, fleet, { at, today, reported: ids })
      fleet.readAt = at
      fleet.day = today
      return
    }
    await readSome(source, workspaceId, fleet, { today, ids: [...ids] })
    if (alertsChanged) countAlerts(fleet)
  } catch (e) {
    for (const id of ids) fleet.stale.add(id)
    fleet.alertsChanged ||= alertsChanged
    fleet.whole ||= whole
    throw e
  }
}

/**
 * Reads the whole fleet. If all costs were read a short time ago, only the costs of agents that reported since are
 * read. Costs that were never read are left out.
 */
async function readWhole(
  source: FleetSource,
  workspaceId: string,
  fleet: KeptFleet,
  { at, today, reported }: { at: number; today: number; reported: ReadonlySet<string> },
): Promise<void> {
  const { db } = source
  const ids = await agentIds(db, workspaceId)
  const pieces: AgentColumns[][] = []
  for await (const some of piecesInTurns(ids, fleetAgentsAtOnce))
    pieces.push(await readAgentColumns(db, workspaceId, some))
  const changed = pieces
    .flat()
    .filter(({ id, received_at }) => reported.has(id) || fleet.rows.get(id)?.seenAt !== received_at)
    .map(({ id }) => id)
  if (!fleet.sums) for (const id of changed) fleet.summing?.reported.add(id)
  else if (dayNumber(fleet.sumsAt) === today && at - fleet.sumsAt <= costsLifetime)
    await readSums(source, workspaceId, fleet, { today, ids: changed })
  else {
    fleet.sums = await allSums(source, workspaceId, today)
    fleet.sumsAt = at
  }
  const rows = new Map<string, FleetRow>()
  const { sums, alerts } = fleet
  const before = (id: string) => fleet.rows.get(id)
  for (const piece of pieces) {
    await setImmediate()
    for (const [id, row] of await readFleetRows(db, piece, { today, sums, alerts, before })) rows.set(id, row)
  }
  fleet.waiting = new Map(sums ? [] : pieces.flat().map(({ id, usage }) => [id, usage]))
  for (const id of fleet.rows.keys()) if (!rows.has(id)) fleet.rows.delete(id)
  for (const [id, row] of rows) fleet.rows.set(id, row)
}

interface SomeAgents {
  today: number
  ids: readonly string[]
}

/** Reads the rows of some agents again, and puts them into the cache when all are read. */
async function readSome(
  source: FleetSource,
  workspaceId: string,
  fleet: KeptFleet,
  { today, ids }: SomeAgents,
): Promise<void> {
  const { db } = source
  if (fleet.sums) await readSums(source, workspaceId, fleet, { today, ids })
  const { sums, alerts } = fleet
  const read = new Map<string, FleetRow>()
  const waiting: [string, string | null][] = []
  for await (const some of piecesInTurns(ids, fleetAgentsAtOnce)) {
    const columns = await readAgentColumns(db, workspaceId, some)
    for (const [id, row] of await readFleetRows(db, columns, { today, sums, alerts })) read.set(id, row)
    for (const { id, usage } of columns) waiting.push([id, usage])
  }
  for (const id of ids) {
    const row = read.get(id)
    if (row) fleet.rows.set(id, row)
    else fleet.rows.delete(id)
  }
  if (!sums) for (const [id, usage] of waiting) fleet.waiting.set(id, usage)
}

/**
 * Reads the costs of some agents again. If there are more agents than fit into one query, it reads the costs of all.
 */
async function readSums(
  source: FleetSource,
  workspaceId: string,
  fleet: KeptFleet,
  { today, ids }: SomeAgents,
): Promise<void> {
  if (ids.length === 0 || !fleet.sums) return
  if (ids.length > costsAtOnce) {
    fleet.sums = await allSums(source, workspaceId, today)
    return
  }
  const read = await costSums(source.db, workspaceId, today, ids)
  for (const id of ids) {
    const sum = read.get(id)
    if (sum) fleet.sums.set(id, sum)
    else fleet.sums.delete(id)
  }
}

/**
 * Reads the costs of all agents for the first time and puts them into the rows. Agents that reported meanwhile are read
 * again the next time, because their costs may be newer.
 */
async function sumUp(source: FleetSource, workspaceId: string, fleet: KeptFleet): Promise<void> {
  fleet.summing ??= { done: sumAll(source, workspaceId, fleet), reported: new Set() }
  await fleet.summing.done
}

async function sumAll(source: FleetSource, workspaceId: string, fleet: KeptFleet): Promise<void> {
  // Here `sumUp` sets `fleet.summing`, so that every report that arrives while costs are read is noted there.
  await setImmediate()
  const at = source.now()
  const today = dayNumber(at)
  try {
    const sums = await allSums(source, workspaceId, today)
    await inTurn(fleet, async () => {
      fleet.sums = sums
      fleet.sumsAt = at
      for (const id of fleet.summing?.reported ?? []) fleet.stale.add(id)
      for (const [id, row] of fleet.rows)
        fleet.rows.set(id, { ...row, ...costsOf(sums.get(id), fleet.waiting.get(id) ?? null, today) })
      fleet.waiting = new Map()
    })
  } finally {
    fleet.summing = undefined
  }
}

/**
 * The costs of all agents of a workspace. On PostgreSQL one statement reads them, because pieces would take longer. On
 * SQLite they are read in pieces, because this process stops during a statement.
 */
async function allSums({ db, engine }: FleetSource, workspaceId: string, today: number): Promise<CostsByAgent> {
  if (engine === 'postgres') return await costSums(db, workspaceId, today)
  const ids = await agentIds(db, workspaceId)
  const sums: CostsByAgent = new Map()
  for await (const some of piecesInTurns(ids, costsAtOnce))
    for (const [id, sum] of await costSums(db, workspaceId, today, some)) sums.set(id, sum)
  return sums
}

/** Counts the alerts of all rows again. A row whose alerts changed is replaced. */
function countAlerts({ rows, alerts }: KeptFleet): void {
  for (const [id, row] of rows) {
    const alert = alerts({ id, name: row.name })
    if (alert.open === row.alerts.open && alert.acknowledged === row.alerts.acknowledged) continue
    rows.set(id, { ...row, alerts: alert })
  }
}
