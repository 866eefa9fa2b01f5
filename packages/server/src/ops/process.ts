/** Handles the signals that end the process, and the uncaught errors of the process. */
import type { Logger } from 'pino'

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process immediately. */
export function untilSignal(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    for (const [signal, number] of [
      ['SIGTERM', 15],
      ['SIGINT', 2],
    ] as const)
      process.on(signal, () => {
        if (asked) process.exit(128 + number)
        asked = true
        log.info({ signal }, 'shutting down after answering what was received; a second signal stops at once')
        resolve()
      })
  })
}

/**
 * The number of uncaught errors that are accepted within a minute. If there are more, the process is probably damaged
 * and a new one is better.
 */
const tolerated = 10

/**
 * Logs uncaught errors, which are bugs. Each costs only its request or connection: all that matters is in committed
 * transactions, and leaving a whole fleet without answers would be worse. If they keep coming, the process exits with
 * code 1, and its supervisor restarts it.
 */
export function watchOverErrors(log: Logger): void {
  let recent: number[] = []
  const note = (kind: string) => (error: unknown) => {
    const at = performance.now()
    recent = [...recent.filter((before) => at - before < 60_000), at]
    log.error({ err: error }, `${kind}: a bug of the service`)
    if (recent.length <= tolerated) return
    log.fatal('too many bugs within a minute: the process exits')
    process.exit(1)
  }
  process.on('uncaughtException', note('uncaught error'))
  process.on('unhandledRejection', note('unhandled rejection'))
}
