/** Work of many clients, a few pieces in each turn of the event loop, so that what is small gets between them. */
export class Turns {
  readonly #perTurn: number
  #waiting: (() => void)[] = []
  #due = false

  constructor(perTurn = 1) {
    this.#perTurn = perTurn
  }

  /** Calls `act` in a later turn, after those that were added before. */
  add(act: () => void): void {
    this.#waiting.push(act)
    this.#schedule()
  }

  /** Calls `act` in the next turn, before those that wait. */
  addFirst(act: () => void): void {
    this.#waiting.unshift(act)
    this.#schedule()
  }

  /** Resolves in a turn that it shares with no more pieces than the others do, in the order of the calls. */
  next(): Promise<void> {
    return new Promise((resolve) => this.add(resolve))
  }

  /** How many pieces wait. */
  get length(): number {
    return this.#waiting.length
  }

  #schedule(): void {
    if (this.#due) return
    this.#due = true
    setImmediate(this.#run)
  }

  readonly #run = (): void => {
    const now = this.#waiting.slice(0, this.#perTurn)
    this.#waiting = this.#waiting.slice(this.#perTurn)
    for (const act of now) act()
    this.#due = false
    if (this.#waiting.length > 0) this.#schedule()
  }
}
