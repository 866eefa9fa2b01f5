/**
 * Counts tries in memory over a sliding window, so that their number can be limited, such as failed sign-ins or unknown
 * links. A try counts for a key, such as a network address. The number of keys is bounded, and each is kept as a hash
 * of fixed size.
 */
import { createHash } from 'node:crypto'

/** A maximum number of tries in a sliding window. */
export interface TryLimit {
  max: number
  seconds: number
}

/** The maximum number of keys in memory. Beyond it, the keys whose last try is oldest are dropped. */
const defaultMaxKeys = 50_000

export class TryCounter {
  readonly #longest: TryLimit
  readonly #maxKeys: number
  /** The times of tries by key, in milliseconds, oldest first. The keys are in the order of their last try. */
  readonly #times = new Map<string, number[]>()

  /** `longest` is a limit with the longest window and the highest maximum of all limits passed to `wait`. */
  constructor(longest: TryLimit, maxKeys = defaultMaxKeys) {
    this.#longest = longest
    this.#maxKeys = maxKeys
  }

  /** The seconds to wait before `key` may try again; undefined when it may try now. */
  wait(key: string, { max, seconds }: TryLimit, now: number): number | undefined {
    const since = now - seconds * 1000
    const recent = (this.#times.get(hashed(key)) ?? []).filter((at) => at > since && at <= now)
    const oldest = recent.at(-max)
    return oldest === undefined ? undefined : Math.max(1, Math.ceil((oldest - since) / 1000))
  }

  /** Counts a try before its outcome is known, so that simultaneous tries count together. */
  add(key: string, now: number): void {
    const name = hashed(key)
    const times = [...(this.#times.get(name) ?? []), now].slice(-this.#longest.max)
    this.#times.delete(name)
    this.#times.set(name, times)
    this.#dropOld(now)
  }

  /** Takes back the last counted try of `key`, because it succeeded or could not be judged. */
  takeBack(key: string): void {
    const name = hashed(key)
    const times = this.#times.get(name)
    if (times?.pop() !== undefined && times.length === 0) this.#times.delete(name)
  }

  forget(key: string): void {
    this.#times.delete(hashed(key))
  }

  /** The number of keys in memory. */
  get size(): number {
    return this.#times.size
  }

  /** Drops keys without a recent try, and the oldest keys beyond the maximum. */
  #dropOld(now: number): void {
    const since = now - this.#longest.seconds * 1000
    for (const [key, times] of this.#times) {
      if (this.#times.size <= this.#maxKeys && (times.at(-1) ?? 0) > since) return
      this.#times.delete(key)
    }
  }
}

/** Hashes a key, since it may contain text of any length that a stranger typed. */
const hashed = (key: string): string => createHash('sha256').update(key).digest('base64').slice(0, 22)
