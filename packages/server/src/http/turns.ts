/** A turn that has already taken so many milliseconds with other work is full, but work is put off only a few times in a row. */
const full = { ms: 8, inARow: 8 } as const

/**
 * Work of many clients, a few pieces in each turn of the event loop, so that small work gets between them. Work is put off while turns
 * are full with reading what many clients send. `clock` returns milliseconds.
 */
export class Turns {
  readonly #perTurn: number
  readonly #clock: () => number
  #waiting: (() => void)[] = []
  #due = false
  #dueSince = 0
  #fullTurns = 0

  constructor(perTurn = 1, clock = () => performance.now()) {
    this.#perTurn = perTurn
    this.#clock = clock
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
    this.#wait()
  }

  /** The event loop does not sleep meanwhile, so the time until the next turn is the time that other work takes. */
  #wait(): void {
    this.#dueSince = this.#clock()
    setImmediate(this.#run)
  }

  readonly #run = (): void => {
    if (this.#clock() - this.#dueSince > full.ms && this.#fullTurns < full.inARow) {
      this.#fullTurns++
      this.#wait()
      return
    }
    this.#fullTurns = 0
    const now = this.#waiting.slice(0, this.#perTurn)
    this.#waiting = this.#waiting.slice(this.#perTurn)
    for (const act of now) act()
    this.#due = false
    if (this.#waiting.length > 0) this.#schedule()
  }
}
