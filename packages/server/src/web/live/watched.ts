/** Counts, for each agent, the pages of the agent that are open through this node. */
interface WatchCounts {
  add(agentId: string): void
  /** Notes that a page of the agent was closed. Returns true if no other one is open. */
  drop(agentId: string): boolean
  has(agentId: string): boolean
  agents(): Iterable<string>
}

export function watchCounts(): WatchCounts {
  const pages = new Map<string, number>()
  return {
    add: (agentId) => void pages.set(agentId, (pages.get(agentId) ?? 0) + 1),
    drop(agentId) {
      const left = (pages.get(agentId) ?? 1) - 1
      if (left > 0) pages.set(agentId, left)
      else pages.delete(agentId)
      return left === 0
    },
    has: (agentId) => pages.has(agentId),
    agents: () => pages.keys(),
  }
}
