/**
 * Tracks the request bodies that are arriving, oldest first. A client that sends slowly occupies a connection and the
 * memory for what it has sent. Such a client is cut off when its time is over. When all bodies together take too much
 * memory, the clients whose bodies began first are cut off.
 */
import type { IncomingMessage } from 'node:http'
import { cutOffQueue } from './turns.ts'

interface ArrivalLimits {
  /** The maximum time from the headers to the end of the body, in milliseconds. */
  time: number
  /** The maximum bytes held by all arriving bodies together. */
  held: number
  /** The interval in milliseconds at which bodies that take too long are looked for. */
  check: number
}

const defaultArrivalLimits: ArrivalLimits = { time: 30_000, held: 64 * 1024 * 1024, check: 1_000 }

interface Arrival {
  since: number
  bytes: number
}

export class ArrivingBodies {
  readonly #limits: ArrivalLimits
  readonly #under = new Map<IncomingMessage, Arrival>()
  #held = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: ArrivalLimits = defaultArrivalLimits) {
    this.#limits = limits
  }

  /** Starts to track the body of a request, of which `bytes` have already arrived. */
  begin(req: IncomingMessage, bytes = 0): void {
    this.#timer ??= setInterval(() => this.#check(), this.#limits.check).unref()
    this.#under.set(req, { since: performance.now(), bytes: 0 })
    if (bytes > 0) this.grew(req, bytes)
  }

  /**
   * Notes that `bytes` more are held for this body, and cuts off the clients of the oldest bodies while all bodies
   * together hold too much.
   */
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

  /** Stops tracking a body: it has ended, its connection is closed, or the rest of it is not read. */
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
      cutOffQueue.add(() => this.#giveUp(req))
    }
  }

  /** Closes the connection on which a body arrives, unless the body has ended in the meantime. */
  #giveUp(req: IncomingMessage): void {
    if (!this.#under.has(req)) return
    this.end(req)
    req.destroy()
  }
}

/** Tracks the arriving bodies of all requests of this process. */
export const arrivingBodies = new ArrivingBodies()
