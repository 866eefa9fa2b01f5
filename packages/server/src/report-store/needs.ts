/** What only some reports need to have read. */
import { limits } from '@svc/protocol'
import type { LastReport, StoredCommand } from './rows.ts'

/** How many runs are too many when `fresh` ones come. */
export const excess = (last: LastReport | undefined, fresh: number): number =>
  Math.max(0, (last?.runs_kept ?? 0) + fresh - limits.runsKept)

/** Whether the log names of kept runs matter to this report (D6). */
export const asksForLog = (commands: readonly StoredCommand[]): boolean =>
  commands.some((c) => c.state === 'queued' && c.type === 'log')
