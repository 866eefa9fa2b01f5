/**
 * Where the rows of an agent were found the last time: by number, 0 for not known, runs in the order of the report. Filled and
 * used by the embedded engine only, and never believed: each row that is read so must also name the agent and the run.
 */
export interface Places {
  agent: number
  report: number
  runs: number[]
}

export const newPlaces = (): Places => ({ agent: 0, report: 0, runs: [] })
