/**
 * Mass silence: when many agents of a workspace fall silent within two minutes, one alert of the workspace replaces the
 * alerts of the single agents, because the network or this service is the likelier cause. Pure.
 */

const windowMs = 2 * 60_000
const minAgents = 5
const minShare = 0.3

export interface SilentAgent {
  id: string
  name: string
  /** When the agent fell silent. */
  since: number
}

interface MassSilence {
  /** When the first of these agents fell silent. */
  since: number
  agents: readonly SilentAgent[]
}

/**
 * The mass silence of a workspace; undefined if there is none. `known` is the mass silence about which an alert is
 * already open; it lasts while some of its agents are still silent. `counted` is the number of agents that have ever
 * reported.
 */
export function massSilence(
  silent: readonly SilentAgent[],
  counted: number,
  known: Pick<MassSilence, 'since'> | undefined,
): MassSilence | undefined {
  if (known) {
    const agents = within(silent, known.since)
    return agents.length > 0 ? { since: known.since, agents } : undefined
  }
  const enough = Math.max(minAgents, counted * minShare)
  if (silent.length < enough) return undefined
  const [first, last] = ends(silent)
  if (last - first <= windowMs) return { since: first, agents: silent }
  // Only the times are sorted, because sorting tens of thousands of objects would block this process too long.
  const times = Float64Array.from(silent, ({ since }) => since).sort()
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && (times[end] ?? 0) <= since + windowMs) end++
    if (end - start >= enough) return { since, agents: within(silent, since) }
  }
  return undefined
}

/** When the first and the last of these agents fell silent. */
function ends(silent: readonly SilentAgent[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { since } of silent) {
    if (since < first) first = since
    if (since > last) last = since
  }
  return [first, last]
}

/**
 * The agents that fell silent within two minutes after `from` and are still silent. An agent that has reported since
 * and fell silent again is not one of them.
 */
const within = (silent: readonly SilentAgent[], from: number): SilentAgent[] =>
  silent.filter(({ since }) => since >= from && since <= from + windowMs)
