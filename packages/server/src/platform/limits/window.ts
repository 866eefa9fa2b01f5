/**
 * Limits the calls of each key in any sixty seconds (D16). The limit is exact, because the times of these calls are
 * kept in memory.
 */

const windowMs = 60_000

export class RateWindow {
  readonly #max: number
  readonly #calls = new Map<string, number[]>()
  #sweepAt = 0

  constructor(max: number) {
    this.#max = max
  }

  /**
   * Counts a call of `key` at `now` (Unix milliseconds). Returns 0 if the call is within the limit, otherwise the
   * seconds until a call would be within it again. A refused call does not count.
   */
  take(key: string, now: number): number {
    if (now >= this.#sweepAt) this.#sweep(now)
    const calls = this.#calls.get(key)
    if (!calls) {
      this.#calls.set(key, [now])
      return 0
    }
    forget(calls, now)
    if (calls.length < this.#max) {
      calls.push(now)
      return 0
    }
    return Math.max(1, Math.ceil(((calls[0] ?? now) + windowMs - now) / 1000))
  }

  /** The number of keys in memory, for tests and metrics. */
  get size(): number {
    return this.#calls.size
  }

  /** Forgets keys without calls in the last minute. A call of `take` runs it, at most once a minute. */
  #sweep(now: number): void {
    this.#sweepAt = now + windowMs
    for (const [key, calls] of this.#calls) {
      forget(calls, now)
      if (calls.length === 0) this.#calls.delete(key)
    }
  }
}

/** Drops the times that are older than the window, and all times if the clock was set back to before the last one. */
function forget(calls: number[], now: number): void {
  if ((calls.at(-1) ?? 0) > now) calls.length = 0
  let old = 0
  while (old < calls.length && (calls[old] as number) <= now - windowMs) old++
  if (old > 0) calls.splice(0, old)
}
