/** Decides for which reports further rows must be read. */
import { limits } from '@svc/protocol'
import type { StoredCommand } from '../../fleet/commands/row.ts'
import type { LastReport } from '../../fleet/reports/stored.ts'

/** The number of runs by which an agent exceeds its limit after `fresh` new runs were added. */
export const excessRuns = (last: LastReport | undefined, fresh: number): number =>
  Math.max(0, (last?.runs_kept ?? 0) + fresh - limits.runsKept)

/** True if a log command is queued. The report is then judged with the names of the agent's logs (D6). */
export const asksForLog = (commands: readonly StoredCommand[]): boolean =>
  commands.some((c) => c.state === 'queued' && c.type === 'log')
