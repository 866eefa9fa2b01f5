/**
 * Shares the slots for sending between parties, so that receivers that hang delay only the messages of their own party.
 * A slot is the right to make one try at a time. Work for which a person waits comes first and has slots of its own.
 * Then come receivers whose last try succeeded. All other receivers, whose last try failed or which were never tried,
 * get at most half of the slots, first tries before others. Pure.
 */

/** One piece of work: sending the messages of a channel, or a mail about an account. */
interface WorkItem {
  id: string
  /** The party that gets a share of the slots: a workspace, a person, or `@service` for the service itself. */
  party: string
  /**
   * The receiver, such as a channel or the domain of mails. A party makes only one try at a time to a receiver that is
   * not known to work, unless a person waits for the result.
   */
  receiver: string
  /** True if the receiver accepted the last try; null if nothing was tried yet. */
  works: boolean | null
  /** True if a person waits for the result at a button or a form. */
  isAwaited?: boolean
  /** True if somebody who is not signed in can cause this work. */
  byStranger?: boolean
}

/** A piece of work that is due, with the times by which the dispatcher chooses. */
export interface DueWork extends WorkItem {
  /** The time at which the work became due. */
  dueAt: number
  /** The time at which the last try ended; null if nothing was tried yet. */
  triedAt: number | null
}

/** The number of slots of one process, besides those for work for which a person waits. */
export const maxSlots = 128
/** The number of these slots that one party may take. */
const maxSlotsOfParty = 4
/** The maximum number of slots for receivers that are not known to work: in all, and for one party. */
const [maxUnproven, maxUnprovenOfParty] = [maxSlots / 2, maxSlotsOfParty / 2]
/** The maximum number of slots for receivers whose last try failed. The rest of `maxUnproven` is for first tries. */
export const maxFailing = 48
/**
 * The number of slots for work for which a person waits, and the maximum number of these for work that strangers can
 * cause.
 */
export const [maxAwaited, maxByStrangers] = [32, 16]

/** Chooses the work to start next. `held` is the work in progress, which is not chosen again. */
export function chooseWork<W extends DueWork>(due: readonly W[], held: readonly WorkItem[]): W[] {
  const isHeld = new Set(held.map(({ id }) => id))
  const waiting = due.filter(({ id }) => !isHeld.has(id))
  const taken = new TakenSlots(held)
  const others = waiting.filter((one) => !one.isAwaited)
  return [
    ...chooseInTurn(waiting.filter((one) => one.isAwaited).toSorted(byLastTry), taken),
    ...chooseInTurn(others.filter((one) => one.works).toSorted(byDue), taken),
    ...chooseInTurn(others.filter((one) => !one.works).toSorted(byLastTry), taken),
  ]
}

const byDue = (a: DueWork, b: DueWork): number => a.dueAt - b.dueAt

/**
 * Sorts by the last try: first tries to receivers that are not known to fail come first, then other first tries, then
 * the work that was tried the longest ago.
 */
const byLastTry = (a: DueWork, b: DueWork): number =>
  (a.triedAt ?? 0) - (b.triedAt ?? 0) || Number(a.works === false) - Number(b.works === false) || byDue(a, b)

/** Lets parties take turns: in each round, at most one piece of work of a party is chosen. */
function chooseInTurn<W extends DueWork>(work: readonly W[], taken: TakenSlots): W[] {
  const chosen: W[] = []
  for (let waiting = work; waiting.length > 0; ) {
    const served = new Set<string>()
    const later: W[] = []
    for (const one of waiting) {
      if (served.has(one.party)) later.push(one)
      else if (taken.hasPlace(one)) {
        served.add(one.party)
        taken.add(one)
        chosen.push(one)
      }
    }
    waiting = later
  }
  return chosen
}

/** The slots that are taken, counted for each limit that applies to them. */
class TakenSlots {
  readonly #counts = new Map<string, number>()

  constructor(held: readonly WorkItem[]) {
    for (const one of held) this.add(one)
  }

  add(work: WorkItem): void {
    for (const [of] of limitsOf(work)) this.#counts.set(of, (this.#counts.get(of) ?? 0) + 1)
  }

  hasPlace(work: WorkItem): boolean {
    return limitsOf(work).every(([of, max]) => (this.#counts.get(of) ?? 0) < max)
  }
}

/** The limits that apply to a piece of work, each with its number of slots. */
function limitsOf({ party, receiver, works, isAwaited, byStranger }: WorkItem): (readonly [of: string, max: number])[] {
  if (isAwaited)
    return [
      ['awaited', maxAwaited],
      [`awaited of ${party}`, maxSlotsOfParty],
      ...(byStranger ? ([['of strangers', maxByStrangers]] as const) : []),
      // At most half of these slots are for receivers whose last try failed.
      ...(works === false ? ([['awaited and failing', maxAwaited / 2]] as const) : []),
      ...(works === false && byStranger ? ([['of strangers and failing', maxByStrangers / 2]] as const) : []),
    ]
  const all = [['all', maxSlots] as const, [`all of ${party}`, maxSlotsOfParty] as const]
  if (works) return all
  return [
    ...all,
    ['doubtful', maxUnproven],
    [`doubtful of ${party}`, maxUnprovenOfParty],
    [`doubtful to ${receiver} of ${party}`, 1],
    ...(works === false ? ([['failing', maxFailing]] as const) : []),
  ]
}
