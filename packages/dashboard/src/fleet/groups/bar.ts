/** Draws the states of a group's agents as a bar, with the shapes of the strips of rows. */
import type { FleetGroup } from '@svc/api'
import { mapStates } from '@svc/api/filter'
import { type Background, backgroundOf, columnCount, type StripStretch } from '../row/day.ts'

/** The minimum number of columns of a state in the bar, so that a single agent among thousands is visible. */
const minColumns = 2

/**
 * The background of a group's bar: its length is the number of agents, measured by the largest group, and the worst
 * agents are on the left.
 */
export function groupBar({ agents, states = [] }: Pick<FleetGroup, 'agents' | 'states'>, largest: number): Background {
  const there = mapStates.flatMap((state, i) => {
    const number = states[i] ?? 0
    return number > 0 ? [{ state: state === 'never' ? ('none' as const) : state, number }] : []
  })
  const length = Math.max(there.length * minColumns, (columnCount * agents) / Math.max(1, largest))
  const spare = length - there.length * minColumns
  const stretches: StripStretch[] = []
  for (const { state, number } of there) {
    const from = stretches.at(-1)?.to ?? 0
    stretches.push({ state, from, to: from + minColumns + (spare * number) / agents })
  }
  return backgroundOf(stretches)
}
