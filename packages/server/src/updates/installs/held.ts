/**
 * Keeps the bundles that are being sent to agents. Many agents may fetch one version at once, and some read slowly, so
 * each bundle is in memory only once, and different bundles share a limit.
 */

/** The maximum bytes of all different bundles in memory. A single bundle is always allowed. */
const maxBytes = 128 * 1024 * 1024

interface HeldBundle {
  bytes: Promise<Uint8Array | undefined>
  size: number
  users: number
}

export class HeldBundles {
  readonly #max: number
  readonly #held = new Map<string, HeldBundle>()
  #size = 0

  constructor(max: number = maxBytes) {
    this.#max = max
  }

  /** True if the bundle is already held or there is room for it. */
  hasRoom(id: string, size: number): boolean {
    return this.#held.has(id) || this.#held.size === 0 || this.#size + size <= this.#max
  }

  /**
   * Returns the bundle with this id, which is read only once for all callers. Every call must be followed by
   * `giveBack`, even if the reading fails.
   */
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
