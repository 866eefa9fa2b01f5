/**
 * What has to be done to thousands of connections at once and need not be done in one go. Clients that began together are due together: to cut off
 * 3,300 of them in one turn of the event loop kept everybody else waiting for a fifth of a second. So this gets a part of the time, and
 * between two turns is served what has arrived meanwhile.
 */

/** Milliseconds: so many of each `every`. About 4,000 connections a second. */
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
    do this.#waiting[this.#next++]?.()
    while (this.#next < this.#waiting.length && performance.now() < until)
    if (this.#next < this.#waiting.length) {
      this.#timer = setTimeout(this.#some, share.every - share.max).unref()
      return
    }
    this.#waiting.length = this.#next = 0
    this.#timer = undefined
  }
}

/** Those of this process whose time is over. */
export const cutOff = new Paced()
