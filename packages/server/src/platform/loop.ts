/** Repeats the work of a part of the service until the part stops. */

interface Loop<T> {
  /** Plans the first run. It begins after `firstMs` milliseconds, by default after the time between two runs. */
  start(firstMs?: number): void
  /** Runs the work now. A call while it runs gets the result of that run. */
  run(): Promise<T>
  /** Lets the next run begin after `ms` milliseconds. If the work is running now, the time is counted from its end. */
  hurry(ms: number): void
  /** Resolves when the run that may be in progress has ended, also if it fails. */
  settled(): Promise<void>
  /** Plans no further run, and resolves when the run that may be in progress has ended. */
  stop(): Promise<void>
}

/**
 * A loop over `work`, which never runs twice at a time and does not keep the process alive. `ms` gives the milliseconds
 * from the end of a run to the next one. `failed` gets the error of a planned run, after which the loop goes on.
 */
export function createLoop<T>(ms: () => number, work: () => Promise<T>, failed: (error: unknown) => void): Loop<T> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<T> | undefined
  let hurriedMs: number | undefined
  let isStarted = false
  return { start, run, hurry, settled, stop }

  function start(firstMs = ms()): void {
    isStarted = true
    plan(firstMs)
  }

  function plan(afterMs: number): void {
    clearTimeout(timer)
    hurriedMs = undefined
    if (isStarted) timer = setTimeout(() => void run().catch(failed), afterMs).unref()
  }

  function run(): Promise<T> {
    running ??= work().finally(() => {
      running = undefined
      plan(hurriedMs ?? ms())
    })
    return running
  }

  function hurry(afterMs: number): void {
    if (running) hurriedMs = afterMs
    else plan(afterMs)
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
