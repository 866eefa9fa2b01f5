/**
 * Spreads work on many connections over turns of the event loop. Clients that started together are due together:
 * cutting off 3,300 of them in one turn delayed everybody else by a fifth of a second. So this work gets a share of the
 * time, and requests are served in between.
 */
import { runTask } from './task.ts'

/**
 * In every `every` milliseconds the queued work takes about `max` at most, which is enough to close about 4,000
 * connections a second.
 */
const share = { max: 2, every: 8 } as const

export class Paced {
  readonly #waiting: (() => void)[] = []
  #next = 0
  #timer: NodeJS.Timeout | undefined

  add(act: () => void): void {
    this.#waiting.push(act)
    this.#timer ??= setTimeout(this.#some, 0).unref()
  }

  readonly #some = (): void => {
    const until = performance.now() + share.max
    do runTask(this.#waiting[this.#next++] as () => void)
    while (this.#next < this.#waiting.length && performance.now() < until)
    if (this.#next < this.#waiting.length) {
      this.#timer = setTimeout(this.#some, share.every - share.max).unref()
      return
    }
    this.#waiting.length = this.#next = 0
    this.#timer = undefined
  }
}

/** The queue in which this process cuts off connections whose time is over. */
export const cutOff = new Paced()
