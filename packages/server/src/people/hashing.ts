/**
 * The queue of password hashing. Few are hashed at once, since each takes a thread that files need too. Few wait, so
 * that each is served within seconds. Known browsers go first, and in each of the two lines addresses take turns.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** The place of a password in the queue depends on its person and address. */
interface Turn {
  /** Signed in now or before; goes before strangers. */
  known: boolean
  /** The client's address as it is counted. */
  caller: string
}

/** The queue is full. Nothing was judged, and the same attempt may be repeated in a few seconds. */
export class HashingBusy extends Error {
  static readonly retryAfter = 5
  static readonly words = 'Too many people are signing in at this moment. Try again in a few seconds.'
}

interface WaitingTurn extends Turn {
  /** The number of earlier entries of the same address. Fewer go first. */
  before: number
  start(): void
  refuse(): void
}

/** Node has four threads for files and hashing; two stay free. */
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

  /** Runs `work` when it is its turn. Throws HashingBusy when there is no room to wait. */
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

  /** The next one takes the place of the one that ended. */
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

/** Refuses the newest entry of the address with most entries in this line, if that is more than `caller` would have. */
function displace(line: WaitingTurn[], caller: string): boolean {
  const counts = new Map<string, number>()
  for (const each of line) counts.set(each.caller, (counts.get(each.caller) ?? 0) + 1)
  const [largest, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))
  if (count <= (counts.get(caller) ?? 0) + 1) return false
  const newest = line.findLastIndex((each) => each.caller === largest)
  line.splice(newest, 1)[0]?.refuse()
  return true
}

/** The queue of this process: all accounts share its CPU. */
export const hashQueue = new HashQueue()

/** Set inside work that already has its place in the queue. */
const placed = new AsyncLocalStorage<true>()

/** Runs `work` when it is its turn; hashing inside needs no other place. Throws HashingBusy before `work` starts. */
export const inTurn = <T>(turn: Turn, work: () => Promise<T>): Promise<T> =>
  hashQueue.run(turn, () => placed.run(true, work))

/**
 * Hashes in the place that was taken, otherwise in the turn of a known person: people who are signed in, invitations,
 * the operator.
 */
export const queued = <T>(work: () => Promise<T>): Promise<T> =>
  placed.getStore() ? work() : hashQueue.run({ known: true, caller: '' }, work)
