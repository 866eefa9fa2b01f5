/**
 * Bundles on their way to agents. A version that is named for many is fetched by all of them at once, and some read slowly: each
 * bundle is in memory once, however many they are, and of different ones only so many.
 */

/** Bytes of different bundles together; one is always taken. */
const maxBytes = 128 * 1024 * 1024

interface Held {
  bytes: Promise<Uint8Array | undefined>
  size: number
  users: number
}

export class HeldBundles {
  readonly #max: number
  readonly #held = new Map<string, Held>()
  #size = 0

  constructor(max: number = maxBytes) {
    this.#max = max
  }

  /** Whether one more may be taken, that is, whether it is held already or there is room. */
  hasRoom(id: string, size: number): boolean {
    return this.#held.has(id) || this.#held.size === 0 || this.#size + size <= this.#max
  }

  /** The bundle, read once; whoever takes it gives it back, also when the reading fails. */
  take(id: string, size: number, read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    let held = this.#held.get(id)
    if (!held) {
      held = { bytes: read(), size, users: 0 }
      this.#held.set(id, held)
      this.#size += size
    }
    held.users++
    return held.bytes
  }

  giveBack(id: string): void {
    const held = this.#held.get(id)
    if (!held || --held.users > 0) return
    this.#held.delete(id)
    this.#size -= held.size
  }
}
