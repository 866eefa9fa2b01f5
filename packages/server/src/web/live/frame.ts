/**
 * Collects what happened in a workspace since its last frame, and makes the next one. A frame is the message that tells
 * open pages what changed.
 */
import type { FleetRow, LiveFrame } from '@svc/api'

/**
 * The maximum number of rows in one frame. If more agents have news, the frame names only those whose page is open, and
 * each page with a list requests the part of the list that it shows.
 */
const maxRows = 100

/** The changes in a workspace since its last frame. */
export interface FrameNews {
  /** The ids of the agents that reported since the last frame, and the ids of agents with other changes. */
  readonly reported: Set<string>
  readonly changed: Set<string>
  /**
   * True if something in a list changed: agents were added, renamed or deleted, or blueprints, codes or rollouts
   * changed.
   */
  list: boolean
  /** True if alerts, rules, channels or mutes of the workspace were changed. */
  alerts: boolean
  /** True if costs were read that earlier answers did not contain. */
  costs: boolean
  /** True if changes may have been missed because their announcement was lost. */
  missed: boolean
}
/** The news of a workspace in which nothing has happened. */
export const noNews = (): FrameNews => ({
  reported: new Set(),
  changed: new Set(),
  list: false,
  alerts: false,
  costs: false,
  missed: false,
})

/**
 * Makes the frame for the news. `open` has the ids of the agents whose page somebody has open. If there is too much
 * news for one frame, the frame still names all agents of `open` that have news, so that their pages reload and the
 * pages of other agents need not.
 */
export function frameOf(
  rows: ReadonlyMap<string, FleetRow>,
  { reported, changed, list, alerts, costs, missed }: FrameNews,
  open: ReadonlySet<string>,
  now: number,
): LiveFrame {
  const more = missed || costs || reported.size > maxRows || changed.size > maxRows
  const rowsOf = (ids: ReadonlySet<string>) =>
    [...ids].filter((id) => !more || open.has(id)).flatMap((id) => rows.get(id) ?? [])
  const reports = rowsOf(reported)
  const withoutRow = reports.slice(maxRows)
  return {
    now,
    rows: reports.slice(0, maxRows),
    changed: [...new Set([...rowsOf(changed), ...withoutRow].map(({ name }) => name))],
    list: list || missed,
    alerts: alerts || missed,
    more,
  }
}
