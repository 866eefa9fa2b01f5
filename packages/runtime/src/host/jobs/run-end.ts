/** How the command of a run ended, and the exit code that says so. */
import { constants } from 'node:os'

/** The way in which the command of a run ended. */
export type RunEnd =
  | { readonly code: number }
  | { readonly signal: NodeJS.Signals }
  /** The command could not be started: the code of the system's error, such as `ENOENT`. */
  | { readonly error: string }
  /** The run exceeded its time limit. */
  | { readonly timedOut: true }

/** Exit codes of `svc exec`. Those from 124 on are the ones that shells and timeout(1) use. */
export const exitCodes = { skipped: 0, timedOut: 124, nothingToRun: 125, notExecutable: 126, notFound: 127 } as const

/** The exit code of `svc exec` for the end of its run. */
export function exitOfRun(how: RunEnd): number {
  if ('timedOut' in how) return exitCodes.timedOut
  if ('signal' in how) return 128 + constants.signals[how.signal]
  if ('error' in how) return ['ENOENT', 'ENOTDIR'].includes(how.error) ? exitCodes.notFound : exitCodes.notExecutable
  return how.code
}
