/** Work that a part of the service repeats until it stops. */

interface Loop<T> {
  /** Plans the first run. It begins after `firstMs` milliseconds, by default after the time between two runs. */
  start(firstMs?: number): void
  /** Runs the work now. A call while it runs gets the result of that run. */
  run(): Promise<T>
  /** Lets the next planned run begin after `ms` milliseconds. While the work runs, this changes nothing. */
  hurry(ms: number): void
  /** Resolves when the run that may be in progress has ended, also if it fails. */
  settled(): Promise<void>
  /** Plans no further run, and resolves when the run that may be in progress has ended. */
  stop(): Promise<void>
}

/**
 * A loop over `work`, which never runs twice at a time and does not keep the process alive. `ms` gives the milliseconds
 * from the end of a planned run to the next one. `failed` gets the error of a planned run, after which the loop goes
 * on.
 */
export function every<T>(ms: () => number, work: () => Promise<T>, failed: (error: unknown) => void): Loop<T> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<T> | undefined
  let isStarted = false
  return { start, run, hurry, settled, stop }

  function start(firstMs = ms()): void {
    isStarted = true
    plan(firstMs)
  }

  function plan(afterMs: number): void {
    clearTimeout(timer)
    if (isStarted)
      timer = setTimeout(() => {
        void run()
          .catch(failed)
          .finally(() => plan(ms()))
      }, afterMs).unref()
  }

  function run(): Promise<T> {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }

  function hurry(afterMs: number): void {
    if (!running) plan(afterMs)
  }

  async function settled(): Promise<void> {
    await running?.catch(() => {})
  }

  async function stop(): Promise<void> {
    isStarted = false
    clearTimeout(timer)
    await settled()
  }
}
