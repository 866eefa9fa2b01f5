/** What happened in a workspace since the last frame, and the frame that says so. */
import type { FleetRow, Frame } from '@svc/api'

/** Rows in one frame. Where more agents report in a tick, pages would get rows that they hardly show: they ask for their part instead. */
const maxRows = 100

export interface News {
  /** Ids of agents. */
  readonly reported: Set<string>
  readonly changed: Set<string>
  /** Agents were added, renamed or deleted. */
  list: boolean
  /** Something may have changed that nobody announced. */
  missed: boolean
}
export const noNews = (): News => ({ reported: new Set(), changed: new Set(), list: false, missed: false })

/** `open`: the agents whose page somebody has open. They are named in any frame, so that no other page of an agent asks again. */
export function frameOf(
  rows: ReadonlyMap<string, FleetRow>,
  { reported, changed, list, missed }: News,
  open: ReadonlySet<string>,
  now: number,
): Frame {
  const more = missed || reported.size > maxRows || changed.size > maxRows
  const named = (ids: ReadonlySet<string>) =>
    [...ids]
      .filter((id) => !more || open.has(id))
      .slice(0, maxRows)
      .flatMap((id) => rows.get(id) ?? [])
  return { now, rows: named(reported), changed: named(changed).map(({ name }) => name), list: list || missed, more }
}
