/** The checkboxes of groups. */
import type { FleetGroup, FleetMap } from '@svc/api'

/** The checkbox of a group: how much of the group is selected, and the function that a press calls. */
export interface GroupBox {
  chosen: 'all' | 'some' | 'none'
  press: () => Promise<void>
}

/** The names of the agents of each group, by the value of the group. */
export function agentsByGroup(map: Pick<FleetMap, 'groups' | 'squares'> | undefined): Map<string | null, string[]> {
  const members = new Map<string | null, string[]>()
  for (const value of map?.groups ?? []) members.set(value, [])
  for (const [name, , ...groups] of map?.squares ?? [])
    for (const group of groups) members.get(map?.groups[group] ?? null)?.push(name)
  return members
}

/** Returns how much of a group is selected, as far as its agents are known. */
export function chosenPartOf(
  { agents }: Pick<FleetGroup, 'agents'>,
  known: readonly string[],
  names: ReadonlySet<string>,
): GroupBox['chosen'] {
  const number = names.size === 0 ? 0 : known.filter((name) => names.has(name)).length
  return number === 0 ? 'none' : number === known.length && number >= agents ? 'all' : 'some'
}
