/** Runs a few tasks at a time; other tasks wait, in the order in which they came. */
export class Room {
  #free: number
  readonly #outside: (() => void)[] = []

  constructor(max: number) {
    this.#free = max
  }

  /** Runs `work` as soon as fewer than the allowed number of tasks are running. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#outside.push(enter))
    try {
      return await work()
    } finally {
      const next = this.#outside.shift()
      if (next) next()
      else this.#free++
    }
  }

  /** The number of waiting tasks. */
  get waiting(): number {
    return this.#outside.length
  }
}
