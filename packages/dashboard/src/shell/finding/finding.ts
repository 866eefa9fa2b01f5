/** Pure functions of the palette: which entries fit what is typed, and in which order. */
import { bare } from '@svc/protocol'

/** True if every typed word occurs in the text. */
export function fitsWords(typed: string, text: string): boolean {
  const words = typed.toLowerCase().split(/\s+/)
  return words.every((word) => text.toLowerCase().includes(word))
}

/**
 * Returns the agents with the best names for a search first, at most `most`: the name itself, then names that begin with
 * what is typed, then names that contain it, then agents that the service found by something else.
 */
export function bestNamed<T extends { name: string }>(typed: string, agents: readonly T[], most: number): T[] {
  const wanted = bare(typed).toLowerCase()
  const rank = ({ name }: T) =>
    name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(`-${wanted}`) ? 2 : name.includes(wanted) ? 3 : 4
  return agents
    .map((agent) => ({ agent, at: rank(agent) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ agent }) => agent)
}
