import type { Logger } from 'pino'

/**
 * Logs database faults at most every 5 s, with the number of faults since the last line, so that frequent faults do not
 * fill the log.
 */
export interface FaultLog {
  note(error: unknown, what: string): void
}

const quietMs = 5_000

export function createFaultLog(log: Logger, monotonic: () => number = () => performance.now()): FaultLog {
  let saidAt = Number.NEGATIVE_INFINITY
  let unsaid = 0
  return {
    note(error, what) {
      unsaid++
      if (monotonic() - saidAt < quietMs) return
      log.error({ err: error, times: unsaid }, what)
      saidAt = monotonic()
      unsaid = 0
    },
  }
}
