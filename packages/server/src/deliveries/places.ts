/**
 * Shares the places for sending between workspaces, so that receivers that hang delay only the messages of their own
 * workspace. Channels that work come first. All others, which failed last or were never tried, get at most half of the
 * places. Pure.
 */

/** The number of channels that one process serves at the same time. */
export const placesMax = 128
/** The number of these that may belong to one workspace. */
const placesOfScope = 4

/** A channel that is served, or may be. */
interface ServedChannel {
  id: string
  /** The id of the workspace, or `@service`. */
  scope: string
  /** True if the receiver accepted the last try; null if nothing was tried yet. */
  works: boolean | null
}

export interface DueChannel extends ServedChannel {
  /** When its earliest message was due. */
  dueAt: number
  /** When the last try ended; null if nothing was tried yet. */
  triedAt: number | null
}

/** Chooses the channels to serve next. `held` are the channels that are served now, of which none is chosen again. */
export function chooseChannels(due: readonly DueChannel[], held: readonly ServedChannel[]): DueChannel[] {
  const isHeld = new Set(held.map(({ id }) => id))
  const waiting = due.filter(({ id }) => !isHeld.has(id))
  const works = waiting.filter((one) => one.works).toSorted((a, b) => a.dueAt - b.dueAt)
  const others = waiting.filter((one) => !one.works).toSorted(byLastTry)
  const working = chooseInTurn(works, held)
  return [...working, ...chooseInTurn(others, [...held, ...working])]
}

/**
 * Sorts channels by their last try: those that were never tried come first, then the one whose last try was the longest
 * ago.
 */
const byLastTry = (a: DueChannel, b: DueChannel): number => (a.triedAt ?? 0) - (b.triedAt ?? 0) || a.dueAt - b.dueAt

/** Lets workspaces take turns: in each round, at most one channel of a workspace is chosen. */
function chooseInTurn(channels: readonly DueChannel[], held: readonly ServedChannel[]): DueChannel[] {
  const chosen: DueChannel[] = []
  for (let waiting = channels; waiting.length > 0; ) {
    const served = new Set<string>()
    const later: DueChannel[] = []
    for (const channel of waiting) {
      if (!hasPlace(channel, [...held, ...chosen])) continue
      if (served.has(channel.scope)) later.push(channel)
      else {
        served.add(channel.scope)
        chosen.push(channel)
      }
    }
    waiting = later
  }
  return chosen
}

function hasPlace({ scope, works }: ServedChannel, taken: readonly ServedChannel[]): boolean {
  const ofScope = taken.filter((one) => one.scope === scope)
  if (taken.length >= placesMax || ofScope.length >= placesOfScope) return false
  const doubtful = (channels: readonly ServedChannel[]) => channels.filter((one) => !one.works).length
  return works === true || (doubtful(taken) < placesMax / 2 && doubtful(ofScope) < placesOfScope / 2)
}
