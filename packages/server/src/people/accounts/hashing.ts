/**
 * The queue for hashing passwords. Few passwords are hashed at once, since each takes a thread that file access needs
 * too. Few requests wait, so that everybody who waits is served within seconds. Known browsers go first; within each of
 * the two queues addresses take turns.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A request for a turn in the queue. */
interface Turn {
  /**
   * True if the person is signed in, or the browser has signed in to the account before. Such turns come before those
   * of strangers.
   */
  known: boolean
  /** The client's network address, in the form by which its turns are counted. */
  caller: string
}

/** The error when the queue is full. The password was not checked, and the same try may succeed in a few seconds. */
export class HashingBusy extends Error {
  static readonly retryAfter = 5
  static readonly words = 'Too many people are signing in at this moment. Try again in a few seconds.'
}

interface WaitingTurn extends Turn {
  /**
   * The number of turns of the same address that were waiting when this turn was added. Turns with lower numbers come
   * first.
   */
  before: number
  start(): void
  refuse(): void
}

/** The number of passwords that are hashed at the same time. Two of Node's four threads stay free for file access. */
const hashesAtOnce = 2
/**
 * The maximum number of waiting turns, once for known browsers and once for strangers. A full queue is two to three
 * seconds of work.
 */
const maxWaiting = 32

export class HashQueue {
  readonly #atOnce: number
  readonly #maxWaiting: number
  #running = 0
  readonly #known: WaitingTurn[] = []
  readonly #strangers: WaitingTurn[] = []

  constructor(limits = { atOnce: hashesAtOnce, maxWaiting }) {
    this.#atOnce = limits.atOnce
    this.#maxWaiting = limits.maxWaiting
  }

  /** Runs `work` in its turn. Throws HashingBusy when there is no room to wait. */
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

  /** Starts the next waiting turn in place of one that has ended. */
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

/**
 * Frees a position in a full queue for a turn of `caller`: refuses the newest turn of the address that has the most
 * turns. Returns false, and refuses none, unless that address has at least two turns more than `caller`.
 */
function displace(line: WaitingTurn[], caller: string): boolean {
  const counts = new Map<string, number>()
  for (const each of line) counts.set(each.caller, (counts.get(each.caller) ?? 0) + 1)
  const [largest, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))
  if (count <= (counts.get(caller) ?? 0) + 1) return false
  const newest = line.findLastIndex((each) => each.caller === largest)
  line.splice(newest, 1)[0]?.refuse()
  return true
}

/** The queue of this process for hashing passwords, shared by all accounts. */
export const hashQueue = new HashQueue()

/** Marks code that already runs in a turn of the queue for hashing. */
const placed = new AsyncLocalStorage<true>()

/**
 * Runs `work` in a turn of the queue; hashing within it needs no further turn. Throws HashingBusy, before `work`
 * starts, if there is no room.
 */
export const hashInTurn = <T>(turn: Turn, work: () => Promise<T>): Promise<T> =>
  hashQueue.run(turn, () => placed.run(true, work))

/**
 * Runs the hashing of a password in the current turn of the queue. Outside a turn, the hashing waits like that of a
 * known browser, because the caller is then signed in, has a valid link, or is the operator.
 */
export const inHashQueue = <T>(work: () => Promise<T>): Promise<T> =>
  placed.getStore() ? work() : hashQueue.run({ known: true, caller: '' }, work)
