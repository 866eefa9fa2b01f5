/** What a frame does to the part of the fleet that is on screen. Pure. */
import type { Fleet, FleetRow, Frame } from '@svc/server/api'

/** The same window with the rows that reported since put in place; the same object when none of them is in it. */
export function mergeFrame(fleet: Fleet, frame: Frame): Fleet {
  const fresh = new Map(frame.rows.map((row) => [row.name, row]))
  if (!fleet.rows.some((row) => fresh.has(row.name))) return fleet
  return { ...fleet, now: frame.now, rows: fleet.rows.map((row) => fresh.get(row.name) ?? row) }
}

const group = (row: FleetRow, now: number) =>
  row.silentAt === null ? 'never' : row.silentAt <= now ? 'silent' : (row.level ?? 'none')

/** Whether a row's change moves it between the filter's groups, so that counts and order must be asked for again. */
export function movesGroup(fleet: Fleet, frame: Frame): boolean {
  const before = new Map(fleet.rows.map((row) => [row.name, row]))
  return frame.rows.some((row) => {
    const old = before.get(row.name)
    return old !== undefined && group(old, fleet.now) !== group(row, frame.now)
  })
}

/** Reads a frame's text; undefined when it is none. */
export function readFrame(text: string): Frame | undefined {
  try {
    const value = JSON.parse(text) as Partial<Frame> | null
    if (typeof value !== 'object' || value === null || typeof value.now !== 'number') return undefined
    return {
      now: value.now,
      rows: Array.isArray(value.rows) ? value.rows : [],
      changed: Array.isArray(value.changed) ? value.changed : [],
      list: value.list === true,
      more: value.more === true,
    }
  } catch {
    return undefined
  }
}
