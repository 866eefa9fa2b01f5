/** Pieces of work that take milliseconds, each in a turn of the event loop of its own, so that what is small gets between them. */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** Resolves in a turn that it shares with no other piece, in the order of the calls. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#run)
    })
  }

  /** How many pieces wait. */
  get length(): number {
    return this.#waiting.length
  }

  readonly #run = (): void => {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(this.#run)
  }
}
