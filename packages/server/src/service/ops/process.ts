/** Handles the signals that end the process, its uncaught errors, and its end. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { endingSignals, handOverSignals } from '../../platform/early-signals.ts'
import { standardErrorLines } from '../../platform/log.ts'

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process immediately. */
export function untilSignal(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    for (const [signal, number] of Object.entries(endingSignals))
      process.on(signal, () => {
        if (asked) endProcess(128 + number)
        asked = true
        log.info({ signal }, 'shutting down after answering what was received; a second signal stops at once')
        resolve()
      })
    handOverSignals()
  })
}

/**
 * The number of uncaught errors that are accepted within a minute. If there are more, the process is probably damaged
 * and a new one is better.
 */
const maxTolerated = 10

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
    try {
      log.error({ err: error }, `${kind}: a bug of the service`)
    } catch {
      // If the line cannot be written, the error is dropped, because an error in this handler would end the process.
    }
    if (recent.length <= maxTolerated) return
    log.fatal('too many bugs within a minute: the process exits')
    endProcess(1)
  }
  process.on('uncaughtException', note('uncaught error'))
  process.on('unhandledRejection', note('unhandled rejection'))
}

/**
 * Matches look-ups of names in the thread pool, in the names that `process.getActiveResourcesInfo` returns.
 * `process.exit` waits for them without limit. A running service always has some request of the file system, so those
 * do not count.
 */
const inThreadPool = /^(GetAddrInfo|GetNameInfo)/
/** The milliseconds for which the end of the process waits for a reader of the log. */
const lastLinesMs = 200
/** The milliseconds after which work of the thread pool counts as stuck. */
const threadsMs = 200

const hasThreadWork = () => process.getActiveResourcesInfo().some((name) => inThreadPool.test(name))

/** Waits a moment for work of the thread pool, such as the look-up of a name. */
export async function threadsEnded(): Promise<void> {
  const until = performance.now() + threadsMs
  while (hasThreadWork() && performance.now() < until) await sleep(10)
}

/**
 * Ends the process immediately with an exit code, also if `process.exit` would wait for other threads (`stuck`, or work
 * of the thread pool). In that case a signal ends the process: SIGTERM, which supervisors take for a clean end, instead
 * of code 0, and SIGKILL instead of any other code.
 */
export function endProcess(code: number, { stuck = false } = {}): never {
  const until = performance.now() + lastLinesMs
  const pause = new Int32Array(new SharedArrayBuffer(4))
  while (!standardErrorLines.flush() && performance.now() < until) Atomics.wait(pause, 0, 0, 10)
  if (stuck || hasThreadWork()) {
    process.removeAllListeners('SIGTERM')
    process.kill(process.pid, code === 0 ? 'SIGTERM' : 'SIGKILL')
  }
  process.exit(code)
}
