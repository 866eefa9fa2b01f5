import { limits } from '@svc/protocol'

/** How long ago this process delivered a command, in milliseconds by the monotonic clock; undefined if it did not. */
export type MonotonicAge = (id: string) => number | undefined

/** D20: when this process delivered which command, by the monotonic clock, as long as that can matter. */
export class Deliveries {
  readonly #at = new Map<string, number>()
  readonly #monotonic: () => number

  /** `monotonic` gives milliseconds that never jump. */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  /** Notes a delivery of this moment and forgets those whose time is over by this clock. */
  note(id: string): void {
    const now = this.#monotonic()
    for (const [old, at] of this.#at) {
      if (now - at <= limits.commandSeconds * 1000) break
      this.#at.delete(old)
    }
    this.#at.set(id, now)
  }

  /** Milliseconds since this process delivered it; undefined when it did not, or longer ago than matters. */
  readonly age = (id: string): number | undefined => {
    const at = this.#at.get(id)
    return at === undefined ? undefined : this.#monotonic() - at
  }
}
