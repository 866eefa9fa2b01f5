/** The lines of a grouped list: the head of each group and, below the heads of open groups, their agents. */
import type { FleetGroup } from '@svc/api'
import type { Grouping } from '@svc/api/filter'

/** A line of the list. `index` is that of the agent in its group; the line of the group's head has none. */
interface GroupedLine {
  group: FleetGroup
  index: number | undefined
}

/** All lines of a grouped list: their number, and each by its index. */
export interface GroupedLines {
  total: number
  at: (line: number) => GroupedLine | undefined
}

/** Makes the lines of a grouped list. */
export function groupLinesOf(groups: readonly FleetGroup[], isOpen: (value: string | null) => boolean): GroupedLines {
  const starts: number[] = []
  let total = 0
  for (const { value, agents } of groups) {
    starts.push(total)
    total += 1 + (isOpen(value) ? agents : 0)
  }
  return {
    total,
    at(line) {
      if (line < 0 || line >= total) return undefined
      const index = lastIndexWhere(starts.length, (at) => (starts[at] ?? 0) <= line)
      const group = groups[index]
      const within = line - (starts[index] ?? 0)
      return group && { group, index: within === 0 ? undefined : within - 1 }
    },
  }
}

/** The last of `count` indexes for which `holds` is true, or 0. `holds` must not become true again once it is false. */
export function lastIndexWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** The words for the group of the agents that have no tag, host or blueprint. */
export const noGroupWords: Readonly<Record<Grouping, string>> = {
  tag: 'No tag',
  host: 'No host',
  blueprint: 'No blueprint',
}
