/**
 * Bodies that have begun to arrive and have not ended, oldest first. A client that sends slowly holds a connection and the
 * memory for what it has sent: it is given up when its time is over, or, when all of them together hold too much, before
 * those that came later. Honest bodies end within milliseconds, so they are never the oldest for long.
 */
import type { IncomingMessage } from 'node:http'
import { cutOff } from './paced.ts'

interface ArrivalLimits {
  /** Milliseconds from the headers to the end of the body. */
  time: number
  /** Bytes held by all of them together. */
  held: number
  /** How often is looked, in milliseconds. */
  check: number
}

const inForce: ArrivalLimits = { time: 30_000, held: 64 * 1024 * 1024, check: 1_000 }

interface Arrival {
  since: number
  bytes: number
}

export class Arrivals {
  readonly #limits: ArrivalLimits
  readonly #under = new Map<IncomingMessage, Arrival>()
  #held = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: ArrivalLimits = inForce) {
    this.#limits = limits
  }

  /** `bytes` of it are here already. */
  begin(req: IncomingMessage, bytes = 0): void {
    this.#timer ??= setInterval(() => this.#check(), this.#limits.check).unref()
    this.#under.set(req, { since: performance.now(), bytes: 0 })
    if (bytes > 0) this.grew(req, bytes)
  }

  /** So many bytes more are held for this one. */
  grew(req: IncomingMessage, bytes: number): void {
    const arrival = this.#under.get(req)
    if (!arrival) return
    arrival.bytes += bytes
    this.#held += bytes
    for (const oldest of this.#under.keys()) {
      if (this.#held <= this.#limits.held) return
      this.#giveUp(oldest)
    }
  }

  /** It has ended, one way or the other. */
  end(req: IncomingMessage): void {
    const arrival = this.#under.get(req)
    if (!arrival) return
    this.#under.delete(req)
    this.#held -= arrival.bytes
  }

  #check(): void {
    const before = performance.now() - this.#limits.time
    for (const [req, { since }] of this.#under) {
      if (since > before) return
      cutOff.add(() => this.#giveUp(req))
    }
  }

  /** Unless it has ended meanwhile. */
  #giveUp(req: IncomingMessage): void {
    if (!this.#under.has(req)) return
    this.end(req)
    req.destroy()
  }
}

/** Those of this process. */
export const arrivals = new Arrivals()
