import { limits } from '@svc/protocol'

/**
 * A function that returns how many milliseconds ago this process delivered a command, by the monotonic clock; undefined
 * if it did not.
 */
export type MonotonicAge = (id: string) => number | undefined

/**
 * Remembers by the monotonic clock when this process delivered each command, until the command would have timed out
 * (D20).
 */
export class CommandDeliveryTimes {
  readonly #at = new Map<string, number>()
  readonly #monotonic: () => number

  /** `monotonic` returns the milliseconds of a clock that never jumps. */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  /** Notes that a command was delivered now, and forgets deliveries of commands that have timed out by this clock. */
  note(id: string): void {
    const now = this.#monotonic()
    for (const [old, at] of this.#at) {
      if (now - at <= limits.commandSeconds * 1000) break
      this.#at.delete(old)
    }
    this.#at.set(id, now)
  }

  /**
   * Milliseconds since this process delivered the command; undefined if it did not, or if the delivery was forgotten.
   */
  readonly age = (id: string): number | undefined => {
    const at = this.#at.get(id)
    return at === undefined ? undefined : this.#monotonic() - at
  }
}
