/**
 * Mass silence: when a good part of a workspace falls silent at once, that is one alert of the workspace and not one of each
 * agent, since the network or this service is the likelier cause. Pure.
 */

const windowMs = 2 * 60_000
const minAgents = 5
const minShare = 0.3

export interface SilentAgent {
  id: string
  name: string
  /** Since when it has been silent. */
  since: number
}

interface MassSilence {
  /** When the first of them fell silent. */
  since: number
  agents: readonly SilentAgent[]
}

/**
 * The mass silence of a workspace now: the one that is `known` (its alert has not ended) with those of it that are still
 * silent, or a new one. `counted` is the number of agents that ever reported.
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
  const inOrder = silent.toSorted((a, b) => a.since - b.since)
  let last = 0
  for (const [first, { since }] of inOrder.entries()) {
    while (last < inOrder.length && (inOrder[last]?.since ?? 0) <= since + windowMs) last++
    if (last - first >= enough) return { since, agents: inOrder.slice(first, last) }
  }
  return undefined
}

/** One that came back and fell silent again is no longer part of it. */
const within = (silent: readonly SilentAgent[], from: number): SilentAgent[] =>
  silent.filter(({ since }) => since >= from && since <= from + windowMs)
