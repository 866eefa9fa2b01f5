/** What a frame does to the part of the fleet that is on screen. Pure. */
import type { Fleet, FleetRow, Frame } from '@svc/api'

/** The same window with the rows that reported since put in place; the same object when none of them is in it. */
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

/** Whether a row moves between the filter's groups, by a report or by having been silent for too long, so that counts and order must be asked for again. */
export function movesGroup(fleet: Fleet, frame: Frame): boolean {
  const fresh = new Map(frame.rows.map((row) => [row.name, row]))
  return fleet.rows.some((row) => group(row, fleet.now) !== group(fresh.get(row.name) ?? row, frame.now))
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
