/** Applies frames to the part of the fleet that is on screen. Pure. */
import type { Fleet, FleetRow, Frame } from '@svc/api'

/** Replaces rows on screen by those that a frame carries. Returns the same object if the frame carries none of them. */
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
 * True if a row on screen is in another group of the filter after this frame, such as in Bad instead of OK. Counts and
 * order must then be loaded again.
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
