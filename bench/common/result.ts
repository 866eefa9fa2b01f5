/**
 * The result of a measurement as Markdown: `tables` is for docs/benchmarks.md, and `sizing` is the table in
 * docs/operate.md from which operators choose a machine.
 */
export interface BenchResult {
  tables: string
  sizing: string
}
