/**
 * The row numbers of an agent, remembered by the caller between reports: 0 when unknown, runs in the order of the
 * report. Only SQLite uses them. They are hints: each row read by number must also match the agent and the run.
 */
export interface Places {
  agent: number
  report: number
  runs: number[]
}

export const newPlaces = (): Places => ({ agent: 0, report: 0, runs: [] })
