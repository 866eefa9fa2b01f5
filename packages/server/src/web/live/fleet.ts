/**
 * Caches the rows of all agents of a workspace while its list is in use: search, sort and counts need the rows of all
 * agents, and the sums of costs are the most expensive part. All rows are read at first and again from time to time; in
 * between, only agents that reported are read again.
 */
import { setImmediate } from 'node:timers/promises'
import type { FleetRow } from '@svc/api'
import type { Db } from '../../platform/db/open.ts'
import { dayOf } from '../../platform/limits/units.ts'
import { fleetRows } from '../queries/fleet-rows.ts'

/**
 * The milliseconds after which the whole fleet is read again. With SQLite every change comes through this process. With
 * PostgreSQL a command of the operator may have changed something without an announcement.
 */
const lifetime = { sqlite: 600_000, postgres: 15_000 } as const
const unused = 5 * 60_000
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
  /** The reading of rows that is in progress; there is only one at a time for a workspace. */
  reading: Promise<void> | undefined
}

export interface FleetCache {
  /** Returns the rows of the workspace's agents by agent id, as they are at the time of the call. */
  read: (workspaceId: string) => Promise<ReadonlyMap<string, FleetRow>>
  reported: (workspaceId: string, agentId: string) => void
  listChanged: (workspaceId: string) => void
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
        fleet = { rows: new Map(), readAt: 0, usedAt: at, day: 0, stale: new Set(), whole: true, reading: undefined }
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
    missed() {
      for (const fleet of kept.values()) fleet.whole = true
    },
  }
}

/**
 * Reads the rows of agents that reported. Reads all rows if the lists of the workspace changed, if changes may have
 * been missed, on a new day, or when the last full reading is too old.
 */
async function refresh({ db, engine, now }: FleetSource, workspaceId: string, fleet: Kept): Promise<void> {
  const at = now()
  const today = dayOf(at)
  const whole = fleet.whole || fleet.day !== today || at - fleet.readAt > lifetime[engine]
  // The list of agents to read again is emptied before they are read. Agents that report meanwhile are read the next
  // time.
  const ids = [...fleet.stale]
  fleet.stale = new Set()
  if (whole) {
    fleet.whole = false
    try {
      fleet.rows = await readWhole(db, workspaceId, today)
    } catch (e) {
      fleet.whole = true
      throw e
    }
    fleet.readAt = at
    fleet.day = today
  } else if (ids.length > 0) {
    try {
      const rows = await readPieces(db, workspaceId, today, ids)
      for (const id of ids) {
        const row = rows.get(id)
        if (row) fleet.rows.set(id, row)
        else fleet.rows.delete(id)
      }
    } catch (e) {
      for (const id of ids) fleet.stale.add(id)
      throw e
    }
  }
}

/** Reads the whole fleet, which takes a third of a second for ten thousand agents. */
async function readWhole(db: Db, workspaceId: string, today: number): Promise<Map<string, FleetRow>> {
  const agents = await db.selectFrom('agent').select('id').where('workspace_id', '=', workspaceId).execute()
  return readPieces(
    db,
    workspaceId,
    today,
    agents.map(({ id }) => id),
  )
}

async function readPieces(db: Db, workspaceId: string, today: number, ids: string[]): Promise<Map<string, FleetRow>> {
  const rows = new Map<string, FleetRow>()
  for (let i = 0; i < ids.length; i += atOnce) {
    if (i > 0) await setImmediate()
    for (const [id, row] of await fleetRows(db, workspaceId, today, ids.slice(i, i + atOnce))) rows.set(id, row)
  }
  return rows
}
