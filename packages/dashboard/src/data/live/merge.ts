/** Applies frames to the part of the fleet list that is on screen. */
import type { Fleet, FleetRow, Frame } from '@svc/api'

/**
 * Replaces rows on screen by the rows of a frame. Returns the same object if the frame has none of the rows on screen.
 */
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
        : `${row.level ?? 'none'} ${row.statusLate} ${row.secretsMissing} ${troubleOf(row)}`

/** The states of the agent's updates that the first line of the list counts. */
const troubleOf = ({ updates: { wishState, runtimeWishState, runtimeHeld } }: FleetRow): string =>
  [wishState, runtimeWishState, runtimeHeld && 'held']
    .filter((state) => state === 'rolled_back' || state === 'failed' || state === 'held')
    .join()

/**
 * True if the frame moves a row on screen to another group of the list's filter, for example from OK to Bad, or changes
 * what the first line of the list counts. The counts and the order of the list must then be loaded again.
 */
export function movesGroup(fleet: Fleet, frame: Frame): boolean {
  const fresh = new Map(frame.rows.map((row) => [row.name, row]))
  return fleet.rows.some((row) => group(row, fleet.now) !== group(fresh.get(row.name) ?? row, frame.now))
}

/**
 * True if the frame changes which agents a filter selects, as far as the page can tell: a row on screen no longer fits
 * or, if the whole list is on screen, another agent does now.
 */
export function movesIn(fleet: Fleet, frame: Frame, selects: (row: FleetRow) => boolean): boolean {
  const shown = new Set(fleet.rows.map(({ name }) => name))
  const isWhole = shown.size === fleet.total
  return frame.rows.some((row) => (shown.has(row.name) ? !selects(row) : isWhole && selects(row)))
}

/** Parses the text of a frame; undefined if the text is not a frame. */
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
