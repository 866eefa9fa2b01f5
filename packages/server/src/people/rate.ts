/** Failed tries to sign in, counted in memory over a sliding window, for a bounded number of keys of a fixed size. */
import { createHash } from 'node:crypto'

export interface Limit {
  max: number
  seconds: number
}

/** More keys than are in use within an hour: each try costs a hash of a password, or an address of its own. */
const defaultMaxKeys = 50_000

export class Tries {
  readonly #longest: Limit
  readonly #maxKeys: number
  /** Times of tries in milliseconds, oldest first; the key that was used last is the last of the map. */
  readonly #times = new Map<string, number[]>()

  /** `longest` is the limit with the longest window and the most tries that this is asked about. */
  constructor(longest: Limit, maxKeys = defaultMaxKeys) {
    this.#longest = longest
    this.#maxKeys = maxKeys
  }

  /** The seconds to wait before `key` may try again; undefined when it may try now. */
  wait(key: string, { max, seconds }: Limit, now: number): number | undefined {
    const since = now - seconds * 1000
    const recent = (this.#times.get(hashed(key)) ?? []).filter((at) => at > since && at <= now)
    const oldest = recent.at(-max)
    return oldest === undefined ? undefined : Math.max(1, Math.ceil((oldest - since) / 1000))
  }

  /** Counts a try, also while nobody knows yet how it ends: tries at the same time count together. */
  add(key: string, now: number): void {
    const name = hashed(key)
    const times = [...(this.#times.get(name) ?? []), now].slice(-this.#longest.max)
    this.#times.delete(name)
    this.#times.set(name, times)
    this.#dropOld(now)
  }

  /** Takes the last try back: it was good, or was not judged. */
  takeBack(key: string): void {
    const name = hashed(key)
    const times = this.#times.get(name)
    if (times?.pop() !== undefined && times.length === 0) this.#times.delete(name)
  }

  forget(key: string): void {
    this.#times.delete(hashed(key))
  }

  /** Keys in memory. */
  get size(): number {
    return this.#times.size
  }

  /** Keys lie in the order of their last try, so the first ones are the oldest. */
  #dropOld(now: number): void {
    const since = now - this.#longest.seconds * 1000
    for (const [key, times] of this.#times) {
      if (this.#times.size <= this.#maxKeys && (times.at(-1) ?? 0) > since) return
      this.#times.delete(key)
    }
  }
}

/** A key may hold what a stranger typed, of any length. */
const hashed = (key: string): string => createHash('sha256').update(key).digest('base64').slice(0, 22)
