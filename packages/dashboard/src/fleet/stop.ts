/** The tab stop of the list: the index of its row, and the name of the agent there, once it is known. */
export interface Stop {
  index: number
  name: string | undefined
}

/**
 * Returns where the tab stop is after the list changed. It follows its agent to another row in sight; otherwise it stays
 * where it is and has the agent that is there now. `inSight` has the rows in sight by the names of their agents.
 */
export function placeOf(stop: Stop, inSight: ReadonlyMap<string, number>, nameThere: string | undefined): Stop {
  if (nameThere === stop.name || nameThere === undefined) return stop
  const index = stop.name === undefined ? undefined : inSight.get(stop.name)
  return index === undefined ? { index: stop.index, name: nameThere } : { index, name: stop.name }
}
