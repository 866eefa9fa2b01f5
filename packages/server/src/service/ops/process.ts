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
 * Logs uncaught errors, which are bugs, and lets the process continue, because everything that matters is in committed
 * transactions. If more than `maxTolerated` errors occur within a minute, the process exits with code 1, so that its
 * supervisor restarts it.
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
 * Matches the DNS look-ups among the names that `process.getActiveResourcesInfo` returns. `process.exit` waits for
 * running look-ups without limit. Requests to the file system are not matched, because a running service always has
 * some.
 */
const inThreadPool = /^(GetAddrInfo|GetNameInfo)/
/** The milliseconds for which the end of the process waits for a reader of the log. */
const lastLinesMs = 200
/** The maximum milliseconds for which the end of the process waits for DNS look-ups. */
const threadsMs = 200

const hasThreadWork = () => process.getActiveResourcesInfo().some((name) => inThreadPool.test(name))

/** Waits until no DNS look-up is running, but at most `threadsMs` milliseconds. */
export async function threadsEnded(): Promise<void> {
  const until = performance.now() + threadsMs
  while (hasThreadWork() && performance.now() < until) await sleep(10)
}

/**
 * Ends the process with an exit code. If `process.exit` would wait for other threads (`stuck`, or a DNS look-up), the
 * process ends itself by a signal instead: SIGTERM for code 0, since supervisors take it for a clean end, and SIGKILL
 * for any other code.
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
