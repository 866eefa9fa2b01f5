/**
 * Mass outage: when many agents of a workspace go offline within two minutes, one alert of the workspace replaces the
 * alerts of the single agents, because the network or this service is the likelier cause. Pure.
 */

const windowMs = 2 * 60_000
const minAgents = 5
const minShare = 0.3

/**
 * Returns the time at which the mass outage of a workspace began, in Unix milliseconds; undefined if there is none.
 * `offlineSince` has the times at which the offline agents stopped reporting, and `counted` is the number of agents
 * that have ever reported. `known` is the start of a mass outage about which an alert is already open; that outage
 * lasts while some of its agents are still offline.
 */
export function massOutage(offlineSince: readonly number[], counted: number, known?: number): number | undefined {
  if (known !== undefined) return offlineSince.some((since) => wentOfflineThen(known, since)) ? known : undefined
  const enough = Math.max(minAgents, counted * minShare)
  if (offlineSince.length < enough) return undefined
  const [first, last] = firstAndLast(offlineSince)
  // Sorting the times of a large fleet blocks this process for some milliseconds, so it is avoided.
  if (last - first <= windowMs) return first
  const times = Float64Array.from(offlineSince).sort()
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && (times[end] ?? 0) <= since + windowMs) end++
    if (end - start >= enough) return since
  }
  return undefined
}

/**
 * True if an agent that went offline at `since` belongs to the mass outage that began at `begin`. An agent that
 * reported again and went offline later does not belong to it.
 */
export const wentOfflineThen = (begin: number, since: number): boolean => since >= begin && since <= begin + windowMs

function firstAndLast(times: readonly number[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    if (time < first) first = time
    if (time > last) last = time
  }
  return [first, last]
}
