/** Queues of work that is spread over turns of the event loop, so that small work is done in between. */
import type { SlicedWork } from './slices.ts'

/**
 * A turn of the event loop counts as full if other work has already taken `ms` milliseconds of it. Tasks are postponed
 * because of full turns at most `inARow` times in a row.
 */
const fullTurn = { ms: 8, inARow: 8 } as const

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

  /** Schedules the next turn. The event loop does not sleep until then, so all the time in between is other work. */
  #wait(): void {
    this.#dueSince = this.#clock()
    setImmediate(this.#run)
  }

  readonly #run = (): void => {
    if (this.#clock() - this.#dueSince > fullTurn.ms && this.#fullTurns < fullTurn.inARow) {
      this.#fullTurns++
      this.#wait()
      return
    }
    this.#fullTurns = 0
    const tasks = this.#waiting.slice(0, this.#perTurn)
    this.#waiting = this.#waiting.slice(this.#perTurn)
    for (const act of tasks) runTask(act)
    this.#due = false
    if (this.#waiting.length > 0) this.#schedule()
  }
}

/** The milliseconds after which a task pauses for other work. */
const sliceMs = 8

/**
 * Runs tasks of many parties, one in each turn of the event loop. The parties take turns, so that a party with many
 * tasks delays only its own tasks. `clock` returns milliseconds.
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
   * Does the work of a task in slices of some milliseconds, each in a turn of its party. The first slice runs at once,
   * because the caller has already awaited `next`.
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

/**
 * The queued work takes at most about `max` of every `every` milliseconds: enough to close 4,000 connections a second.
 */
const pacedShare = { max: 2, every: 8 } as const

/**
 * Spreads work on many connections over turns of the event loop. Clients that connected together are cut off together,
 * so this work gets only a share of the time, and requests are served in between.
 */
export class PacedWork {
  readonly #waiting: (() => void)[] = []
  #next = 0
  #timer: NodeJS.Timeout | undefined

  add(act: () => void): void {
    this.#waiting.push(act)
    this.#timer ??= setTimeout(this.#some, 0).unref()
  }

  readonly #some = (): void => {
    const until = performance.now() + pacedShare.max
    do runTask(this.#waiting[this.#next++] as () => void)
    while (this.#next < this.#waiting.length && performance.now() < until)
    if (this.#next < this.#waiting.length) {
      this.#timer = setTimeout(this.#some, pacedShare.every - pacedShare.max).unref()
      return
    }
    this.#waiting.length = this.#next = 0
    this.#timer = undefined
  }
}

/** The queue in which this process cuts off connections whose time is over. */
export const cutOffQueue = new PacedWork()

/** Runs a task of a queue. An error of the task is thrown outside the queue, so that the other tasks still run. */
function runTask(task: () => void): void {
  try {
    task()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
