/**
 * The numbers of an agent's rows on SQLite, kept between reports as hints for faster reading; 0 if unknown. `runs` is
 * in the order of the runs in a report. A row found by its number is used only if it has the right agent and run.
 */
export interface RowNumbers {
  agent: number
  report: number
  runs: number[]
}

export const newRowNumbers = (): RowNumbers => ({ agent: 0, report: 0, runs: [] })
