/**
 * What the embedded engine remembers of agents between their reports. One process owns the file and only the report path
 * writes these rows, so what it wrote last is what stands there; it saves a third of the reading. Never used for tokens,
 * activation or commands, which others write. Forgets an agent whenever a transaction fails.
 */
import type { KeptRun, LastReport, Submission, Writes } from './rows.ts'

export interface Remembered {
  reportRow: number
  last: LastReport
  /** Some of its kept runs: those of its last report. */
  runs: ReadonlyMap<string, KeptRun>
}

const agentsMost = 50_000
const runsMost = 8

export class Memory {
  readonly #agents = new Map<string, Remembered>()

  get(agentId: string): Remembered | undefined {
    return this.#agents.get(agentId)
  }

  forget(batch: readonly Submission[]): void {
    for (const { agentId } of batch) this.#agents.delete(agentId)
  }

  /** After the commit: what one report left behind. `read` are the runs as they were before, `added` the new rows' keys. */
  keep(
    { agentId, report }: Submission,
    w: Writes,
    rows: { reportRow: number; read: ReadonlyMap<string, KeptRun>; added: number[] },
  ): void {
    if (!w.report) return
    this.#agents.delete(agentId)
    if (w.trimmed.length > 0 || (report.runs?.length ?? 0) > runsMost) return
    const runs = new Map(rows.read)
    for (const { id, seq, place, body } of w.changedRuns) runs.set(id, { seq, place, body })
    for (const [i, { id, place, body }] of w.newRuns.entries())
      runs.set(id, { seq: rows.added[i] as number, place, body })
    const { level, boot, seq, reporters, runsKept } = w.report
    this.#agents.set(agentId, { reportRow: rows.reportRow, last: { level, boot, seq, reporters, runsKept }, runs })
    if (this.#agents.size > agentsMost) this.#agents.delete(this.#agents.keys().next().value ?? '')
  }
}
