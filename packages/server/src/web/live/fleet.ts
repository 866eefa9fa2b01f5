/**
 * Caches the rows of all agents of a workspace while its list is in use: search, sort and counts need the rows of all
 * agents, and the sums of costs are the most expensive part. All rows are read at first and again from time to time; in
 * between, only agents that reported are read again.
 */
import { setImmediate } from 'node:timers/promises'
import type { FleetRow } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { dayOf } from '../../platform/limits/units.ts'
import { type AlertsOf, fleetAlerts } from '../queries/fleet-alerts.ts'
import { type AgentColumns, agentColumns, type CostSums, costSums, rowsOf } from '../queries/fleet-rows.ts'

/**
 * The milliseconds after which the whole fleet is read again. With SQLite every change comes through this process. With
 * PostgreSQL a command of the operator may have changed something without an announcement.
 */
const lifetime = { sqlite: 600_000, postgres: 15_000 } as const
const unused = 5 * 60_000
/**
 * The milliseconds after which the costs of all agents are read again. Costs change only with a report, and the costs of
 * agents that reported are read with their rows.
 */
const costsLifetime = 5 * 60_000
/** The number of agents read in one query. Between two queries the process handles reports. */
const atOnce = 500

interface Kept {
  rows: Map<string, FleetRow>
  readAt: number
  usedAt: number
  day: number
  /** The ids of agents of the workspace that reported since its rows were last read. */
  stale: Set<string>
  whole: boolean
  /** The daily costs of agents, summed, and when they were last read for all agents. */
  sums: CostSums
  sumsAt: number
  alerts: AlertsOf
  alertsChanged: boolean
  /** The reading of rows that is in progress; there is only one at a time for a workspace. */
  reading: Promise<void> | undefined
}

export interface FleetCache {
  /** Returns the rows of the workspace's agents by agent id, as they are at the time of the call. */
  read: (workspaceId: string) => Promise<ReadonlyMap<string, FleetRow>>
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
}

export function fleetCache(db: Db, engine: 'sqlite' | 'postgres', now: () => number): FleetCache {
  const kept = new Map<string, Kept>()

  return {
    async read(workspaceId) {
      const at = now()
      for (const [id, { usedAt }] of kept) if (at - usedAt > unused) kept.delete(id)
      let fleet = kept.get(workspaceId)
      if (!fleet) {
        fleet = {
          ...{ rows: new Map(), readAt: 0, usedAt: at, day: 0, stale: new Set(), whole: true, reading: undefined },
          ...{ sums: new Map(), sumsAt: -Infinity, alerts: () => ({ open: 0, acknowledged: 0 }), alertsChanged: true },
        }
        kept.set(workspaceId, fleet)
      }
      fleet.usedAt = at
      const mine = fleet
      // A reading that is in progress may miss what was committed just now, so another one follows it.
      const before = mine.reading
      const reading = (before ? before.catch(() => {}) : Promise.resolve()).then(() =>
        refresh({ db, engine, now }, workspaceId, mine),
      )
      mine.reading = reading
      try {
        await reading
      } finally {
        if (mine.reading === reading) mine.reading = undefined
      }
      return mine.rows
    },
    reported(workspaceId, agentId) {
      kept.get(workspaceId)?.stale.add(agentId)
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

/**
 * Reads the rows of agents that reported. Reads all rows if the lists of the workspace changed, if changes may have
 * been missed, on a new day, or when the last full reading is too old. If only alerts changed, only they are read.
 */
async function refresh(source: FleetSource, workspaceId: string, fleet: Kept): Promise<void> {
  const { db, engine, now } = source
  const at = now()
  const today = dayOf(at)
  const whole = fleet.whole || fleet.day !== today || at - fleet.readAt > lifetime[engine]
  // The list of agents to read again is emptied before they are read. Agents that report meanwhile are read the next
  // time.
  const ids = fleet.stale
  const alertsChanged = fleet.alertsChanged || whole
  fleet.stale = new Set()
  fleet.alertsChanged = false
  if (whole) fleet.whole = false
  try {
    if (alertsChanged) fleet.alerts = await fleetAlerts(db, workspaceId)
    if (whole) {
      fleet.rows = await readWhole(source, workspaceId, fleet, { at, today, reported: ids })
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
 * Reads the whole fleet: first the rows in pieces, then the costs in one statement, which is the most expensive part.
 * If all costs were read a short time ago, only those of agents that reported since are read.
 */
async function readWhole(
  { db }: FleetSource,
  workspaceId: string,
  fleet: Kept,
  { at, today, reported }: { at: number; today: number; reported: ReadonlySet<string> },
): Promise<Map<string, FleetRow>> {
  const ids = await db.selectFrom('agent').select('id').where('workspace_id', '=', workspaceId).execute()
  const pieces: AgentColumns[][] = []
  for (let i = 0; i < ids.length; i += atOnce) {
    if (i > 0) await setImmediate()
    const piece = ids.slice(i, i + atOnce).map(({ id }) => id)
    pieces.push(await agentColumns(db, workspaceId, piece))
  }
  if (fleet.day !== today || at - fleet.sumsAt > costsLifetime) {
    fleet.sums = await costSums(db, workspaceId, today)
    fleet.sumsAt = at
  } else {
    const changed = pieces
      .flat()
      .filter(({ id, received_at }) => reported.has(id) || fleet.rows.get(id)?.seenAt !== received_at)
    await readSums(db, workspaceId, fleet, { today, ids: changed.map(({ id }) => id) })
  }
  const rows = new Map<string, FleetRow>()
  const { sums, alerts } = fleet
  const before = (id: string) => fleet.rows.get(id)
  for (const piece of pieces)
    for (const [id, row] of await rowsOf(db, piece, { today, sums, alerts, before })) rows.set(id, row)
  return rows
}

interface Some {
  today: number
  ids: readonly string[]
}

/** Reads the rows of some agents again, and puts them into the cache when all are read. */
async function readSome({ db }: FleetSource, workspaceId: string, fleet: Kept, { today, ids }: Some): Promise<void> {
  await readSums(db, workspaceId, fleet, { today, ids })
  const { sums, alerts } = fleet
  const read = new Map<string, FleetRow>()
  for (let i = 0; i < ids.length; i += atOnce) {
    if (i > 0) await setImmediate()
    const columns = await agentColumns(db, workspaceId, ids.slice(i, i + atOnce))
    for (const [id, row] of await rowsOf(db, columns, { today, sums, alerts })) read.set(id, row)
  }
  for (const id of ids) {
    const row = read.get(id)
    if (row) fleet.rows.set(id, row)
    else fleet.rows.delete(id)
  }
}

/** Reads the costs of some agents again. */
async function readSums(db: Db, workspaceId: string, { sums }: Kept, { today, ids }: Some): Promise<void> {
  for (let i = 0; i < ids.length; i += atOnce) {
    if (i > 0) await setImmediate()
    const piece = ids.slice(i, i + atOnce)
    const read = await costSums(db, workspaceId, today, piece)
    for (const id of piece) {
      const sum = read.get(id)
      if (sum) sums.set(id, sum)
      else sums.delete(id)
    }
  }
}

/** Counts the alerts of all rows again. A row whose alerts changed is replaced, since rows never change. */
function countAlerts({ rows, alerts }: Kept): void {
  for (const [id, row] of rows) {
    const now = alerts({ id, name: row.name })
    if (now.open === row.alerts.open && now.acknowledged === row.alerts.acknowledged) continue
    rows.set(id, { ...row, alerts: now })
  }
}
