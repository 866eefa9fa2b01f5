import { runTask } from './task.ts'

/**
 * A turn of the event loop counts as full if other work has already taken `ms` milliseconds of it. Tasks are postponed
 * because of full turns at most `inARow` times in a row.
 */
const full = { ms: 8, inARow: 8 } as const

/**
 * Spreads tasks of many clients over turns of the event loop, a few in each turn, so that small work is done in
 * between. Tasks wait while turns are full of other work. `clock` returns milliseconds.
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

  /** Calls `act` in a later turn of the event loop, after the tasks that were added before. */
  add(act: () => void): void {
    this.#waiting.push(act)
    this.#schedule()
  }

  /** Calls `act` in the next turn of the queue, before the waiting tasks. */
  addFirst(act: () => void): void {
    this.#waiting.unshift(act)
    this.#schedule()
  }

  /** Resolves in a turn of the queue, in the order of the calls; no more tasks than `perTurn` share that turn. */
  next(): Promise<void> {
    return new Promise((resolve) => this.add(resolve))
  }

  /** The number of waiting tasks. */
  get length(): number {
    return this.#waiting.length
  }

  #schedule(): void {
    if (this.#due) return
    this.#due = true
    this.#wait()
  }

  /**
   * Schedules the next turn. The event loop does not sleep until then, so the time that passes is spent on other work.
   */
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
    for (const act of now) runTask(act)
    this.#due = false
    if (this.#waiting.length > 0) this.#schedule()
  }
}
