import { Turns } from './turns.ts'

/**
 * Lets tasks of many parties run one in each turn of the event loop. The parties take turns, so that one with many tasks
 * waits for its own tasks, and others do not.
 */
export class FairTurns {
  readonly #turns: Pick<Turns, 'add'>
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(turns: Pick<Turns, 'add'> = new Turns(1)) {
    this.#turns = turns
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

  /** Lets the first party take one task, and puts it behind the others. */
  #takeOne(): void {
    const [first] = this.#waiting
    if (!first) return
    const [party, [task, ...rest]] = first
    this.#waiting.delete(party)
    if (rest.length > 0) this.#waiting.set(party, rest)
    task?.()
  }
}
