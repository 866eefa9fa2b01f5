/**
 * Shares the places for sending between parties, so that receivers that hang delay only the messages of their own
 * party. What a person waits for comes first and has places of its own. Then come receivers that work. All others,
 * which failed last or were never tried, get at most half of the places, first tries before others. Pure.
 */

/** One thing to do: the messages of a channel, or a mail about an account. */
interface WorkItem {
  id: string
  /** The party among which places are shared: a workspace, `@service`, or a person. */
  party: string
  /** The receiver, such as a channel or the domain of mails. One that is not known to work gets one try at a time. */
  receiver: string
  /** True if the receiver accepted the last try; null if nothing was tried yet. */
  works: boolean | null
  /** True if a person waits for the result at a button or a form. */
  isAwaited?: boolean
  /** True if somebody who is not signed in can cause it. */
  byStranger?: boolean
}

export interface DueWork extends WorkItem {
  /** When it was due. */
  dueAt: number
  /** When the last try ended; null if nothing was tried yet. */
  triedAt: number | null
}

/** The number of things that one process does at the same time, besides those for which a person waits. */
export const placesMax = 128
/** The number of these places that one party may take. */
const placesOfParty = 4
/** The number of places for receivers that are not known to work: in all, and of one party. */
const [doubtfulMax, doubtfulOfParty] = [placesMax / 2, placesOfParty / 2]
/** The number of the doubtful places for receivers whose last try failed. The others are for first tries. */
export const failingMax = 48
/** The number of places for what a person waits for, and of these for what strangers can cause. */
export const [awaitedMax, strangersMax] = [32, 16]

/** Chooses the work to start next. `held` is the work in progress, which is not chosen again. */
export function chooseWork<W extends DueWork>(due: readonly W[], held: readonly WorkItem[]): W[] {
  const isHeld = new Set(held.map(({ id }) => id))
  const waiting = due.filter(({ id }) => !isHeld.has(id))
  const taken = new TakenPlaces(held)
  const others = waiting.filter((one) => !one.isAwaited)
  return [
    ...chooseInTurn(waiting.filter((one) => one.isAwaited).toSorted(byLastTry), taken),
    ...chooseInTurn(others.filter((one) => one.works).toSorted(byDue), taken),
    ...chooseInTurn(others.filter((one) => !one.works).toSorted(byLastTry), taken),
  ]
}

const byDue = (a: DueWork, b: DueWork): number => a.dueAt - b.dueAt

/**
 * Sorts by the last try: first tries to receivers of which nothing is known, then other first tries, then what was
 * tried the longest ago.
 */
const byLastTry = (a: DueWork, b: DueWork): number =>
  (a.triedAt ?? 0) - (b.triedAt ?? 0) || Number(a.works === false) - Number(b.works === false) || byDue(a, b)

/** Lets parties take turns: in each round, at most one thing of a party is chosen. */
function chooseInTurn<W extends DueWork>(work: readonly W[], taken: TakenPlaces): W[] {
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

/** The places that are taken, counted by the limits that hold for them. */
class TakenPlaces {
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

/** The limits under which something counts, each with the number of places. */
function limitsOf({ party, receiver, works, isAwaited, byStranger }: WorkItem): (readonly [of: string, max: number])[] {
  if (isAwaited)
    return [
      ['awaited', awaitedMax],
      [`awaited of ${party}`, placesOfParty],
      ...(byStranger ? ([['of strangers', strangersMax]] as const) : []),
      // Receivers that failed leave half of these places to others, too.
      ...(works === false ? ([['awaited and failing', awaitedMax / 2]] as const) : []),
      ...(works === false && byStranger ? ([['of strangers and failing', strangersMax / 2]] as const) : []),
    ]
  const all = [['all', placesMax] as const, [`all of ${party}`, placesOfParty] as const]
  if (works) return all
  return [
    ...all,
    ['doubtful', doubtfulMax],
    [`doubtful of ${party}`, doubtfulOfParty],
    [`doubtful to ${receiver} of ${party}`, 1],
    ...(works === false ? ([['failing', failingMax]] as const) : []),
  ]
}
