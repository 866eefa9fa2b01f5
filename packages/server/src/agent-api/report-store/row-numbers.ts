/**
 * The row numbers of an agent's rows, which the caller keeps between reports; 0 if unknown. Those of runs are in the
 * order of the report. Only SQLite uses row numbers, as hints: a row that is read by its number must also have the
 * right agent and run.
 */
export interface RowNumbers {
  agent: number
  report: number
  runs: number[]
}

export const newRowNumbers = (): RowNumbers => ({ agent: 0, report: 0, runs: [] })
