/** Applies frames to the part of the fleet that is on screen. Pure. */
import type { Fleet, FleetRow, Frame } from '@svc/api'

/** Puts rows that reported into the window. Returns the same object when none of them is in it. */
export function mergeFrame(fleet: Fleet, frame: Frame): Fleet {
  const fresh = new Map(frame.rows.map((row) => [row.name, row]))
  if (!fleet.rows.some((row) => fresh.has(row.name))) return fleet
  return { ...fleet, now: frame.now, rows: fleet.rows.map((row) => fresh.get(row.name) ?? row) }
}

const group = (row: FleetRow, now: number) =>
  row.silentAt === null
    ? 'never'
    : row.stopped !== null
      ? 'stopped'
      : row.silentAt <= now
        ? 'silent'
        : `${row.level ?? 'none'} ${row.statusLate || row.secretsMissing}`

/**
 * True when a row moves between the filter's groups, by a report or by silence. Counts and order must then be loaded
 * again.
 */
export function movesGroup(fleet: Fleet, frame: Frame): boolean {
  const fresh = new Map(frame.rows.map((row) => [row.name, row]))
  return fleet.rows.some((row) => group(row, fleet.now) !== group(fresh.get(row.name) ?? row, frame.now))
}

/** Reads a frame's text; undefined when it is not a frame. */
export function readFrame(text: string): Frame | undefined {
  try {
    const value = JSON.parse(text) as Partial<Frame> | null
    if (typeof value !== 'object' || value === null || typeof value.now !== 'number') return undefined
    return {
      now: value.now,
      rows: Array.isArray(value.rows) ? value.rows : [],
      changed: Array.isArray(value.changed) ? value.changed : [],
      list: value.list === true,
      alerts: value.alerts === true,
      more: value.more === true,
    }
  } catch {
    return undefined
  }
}
