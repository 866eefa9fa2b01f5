import type { SlicedWork } from './slices.ts'
import { Turns } from './turns.ts'

/** The milliseconds after which a task pauses for other work. */
const sliceMs = 8

/**
 * Lets tasks of many parties run one in each turn of the event loop. The parties take turns, so that one with many
 * tasks waits for its own tasks, and others do not. `clock` returns milliseconds.
 */
export class FairTurns {
  readonly #turns: Pick<Turns, 'add'>
  readonly #clock: () => number
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(turns: Pick<Turns, 'add'> = new Turns(1), clock = () => performance.now()) {
    this.#turns = turns
    this.#clock = clock
  }

  /** Resolves when it is the turn of a task of this party. */
  next(party: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(party)
      if (own) own.push(resolve)
      else this.#waiting.set(party, [resolve])
      this.#turns.add(() => this.#takeOne())
    })
  }

  /**
   * Does the work of a task in slices of some milliseconds, each in a turn of its party. The first slice begins at
   * once: the caller awaits `next` before it reads the data for the work.
   */
  async run<T>(party: string, work: SlicedWork<T>): Promise<T> {
    while (true) {
      const end = this.#clock() + sliceMs
      do {
        const step = work.next()
        if (step.done) return step.value
      } while (this.#clock() < end)
      await this.next(party)
    }
  }

  /** Runs one task of the first party, and moves this party to the end of the queue. */
  #takeOne(): void {
    const [first] = this.#waiting
    if (!first) return
    const [party, [task, ...rest]] = first
    this.#waiting.delete(party)
    if (rest.length > 0) this.#waiting.set(party, rest)
    task?.()
  }
}
