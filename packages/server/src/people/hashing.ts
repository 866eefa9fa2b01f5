/**
 * The queue of password hashing. Few are hashed at once, since each takes a thread that files need too; few wait, so that
 * whoever waits is served within seconds. Browsers that are known go first; in each of the two lines addresses take turns.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** For whom a password is hashed. */
interface Turn {
  /** Signed in, or signed in before: goes before strangers. */
  known: boolean
  /** The address of the client as it is counted. */
  caller: string
}

/** The queue is full. Nothing was judged: the same try is welcome again in a few seconds. */
export class HashingBusy extends Error {
  static readonly retryAfter = 5
  static readonly words = 'Too many people are signing in at this moment. Try again in a few seconds.'
}

interface WaitingTurn extends Turn {
  /** How many of the same address were in the line before. Whoever has fewer goes first. */
  before: number
  start(): void
  refuse(): void
}

/** Of the four threads that Node has for files and hashing, two stay free. */
const atOnce = 2
/** Two to three seconds of work, once for known browsers and once for strangers. */
const maxWaiting = 32

export class HashQueue {
  readonly #atOnce: number
  readonly #maxWaiting: number
  #running = 0
  readonly #known: WaitingTurn[] = []
  readonly #strangers: WaitingTurn[] = []

  constructor(limits = { atOnce, maxWaiting }) {
    this.#atOnce = limits.atOnce
    this.#maxWaiting = limits.maxWaiting
  }

  /** Runs `work` when it is this one's turn. Throws HashingBusy when there is no room to wait. */
  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++
    else await this.#wait(turn)
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  get waiting(): number {
    return this.#known.length + this.#strangers.length
  }

  /** Whoever is next takes over the place of the one that ended. */
  #next(): void {
    const next = this.#known.shift() ?? this.#strangers.shift()
    if (next) next.start()
    else this.#running--
  }

  #wait(turn: Turn): Promise<void> {
    const line = turn.known ? this.#known : this.#strangers
    if (line.length >= this.#maxWaiting && !displace(line, turn.caller)) throw new HashingBusy()
    const before = line.filter(({ caller }) => caller === turn.caller).length
    const place = line.findIndex((each) => each.before > before)
    return new Promise((start, reject) => {
      const waiting = { ...turn, before, start, refuse: () => reject(new HashingBusy()) }
      line.splice(place < 0 ? line.length : place, 0, waiting)
    })
  }
}

/** Refuses the newest of the address that has most in this line, if that is more than `caller` would have. */
function displace(line: WaitingTurn[], caller: string): boolean {
  const counts = new Map<string, number>()
  for (const each of line) counts.set(each.caller, (counts.get(each.caller) ?? 0) + 1)
  const [largest, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))
  if (count <= (counts.get(caller) ?? 0) + 1) return false
  const newest = line.findLastIndex((each) => each.caller === largest)
  line.splice(newest, 1)[0]?.refuse()
  return true
}

/** The queue of this process: all accounts share its processors. */
export const hashQueue = new HashQueue()

/** Set inside of work that has its place in the queue already. */
const placed = new AsyncLocalStorage<true>()

/** Runs `work` when it is this one's turn; what it hashes needs no other place. Throws HashingBusy before `work` begins. */
export const inTurn = <T>(turn: Turn, work: () => Promise<T>): Promise<T> =>
  hashQueue.run(turn, () => placed.run(true, work))

/** Hashes in the place that was taken, else in the turn of somebody known: people who are signed in, invitations, the operator. */
export const queued = <T>(work: () => Promise<T>): Promise<T> =>
  placed.getStore() ? work() : hashQueue.run({ known: true, caller: '' }, work)
