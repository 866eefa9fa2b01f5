/**
 * Decides which message of a channel is sent next, so that the channel accepts the messages about one alert in the
 * order in which they were made. A newer message does not wait for an older one that failed: it replaces the older
 * message, and in a grouped channel it contains both changes. Pure.
 */

/** A waiting delivery. `C` is a change of an alert. */
export interface WaitingDelivery<C> {
  id: string
  isTest: boolean
  /** The changes that the message is about, in the order in which they were made. */
  changes: readonly C[]
  /** True if the message was written. Its text and its id then never change. */
  isWritten: boolean
  /** The number of tries so far. */
  tries: number
  dueAt: number
}

/** The next message of a channel, and what happens to the waiting deliveries before it is sent. */
export interface DeliveryPlan<C> {
  /** Deliveries that were written or tried and will not be sent. Their rows are kept as ended. */
  replaced: string[]
  /** Deliveries that were neither written nor tried and will not be sent. Their rows are deleted. */
  dropped: string[]
  /**
   * The changes from which a message is to be written, and the id of the delivery that gets the message. Without an
   * id, a new delivery gets it.
   */
  write?: { into: string | undefined; changes: readonly C[] }
  /** The delivery to send; undefined if none is due, or if a new delivery is sent instead. */
  next: string | undefined
}

interface PlanRules<C> {
  format: 'single' | 'grouped'
  now: number
  /** A message that becomes due within these milliseconds may be sent together with, or before, one that is due. */
  groupAfter: number
  /** Leaves out the changes that are not worth sending any longer. */
  fold: (changes: readonly C[]) => readonly C[]
}

/** Plans the next message of a channel. `waiting` are its waiting deliveries in the order in which they were made. */
export function planNextMessage<C extends { id: string }>(
  waiting: readonly WaitingDelivery<C>[],
  rules: PlanRules<C>,
): DeliveryPlan<C> {
  const tests = waiting.filter(({ isTest }) => isTest)
  const test = firstDue(tests, rules.now)
  // Tests come first, because a person is waiting for the answer.
  if (test) return planOf(test)
  const alerts = waiting.filter(({ isTest }) => !isTest)
  return rules.format === 'single' ? planSingle(alerts, rules) : planGroup(alerts, rules)
}

const planOf = <C>(
  next: WaitingDelivery<C> | undefined,
  over: readonly WaitingDelivery<C>[] = [],
): DeliveryPlan<C> => ({
  ...ending(over),
  ...(next && !next.isWritten && { write: { into: next.id, changes: next.changes } }),
  next: next?.id,
})

/** Divides the deliveries that will not be sent by whether somebody may have seen them. */
const ending = <C>(deliveries: readonly WaitingDelivery<C>[]) => {
  const mayBeSeen = (one: WaitingDelivery<C>) => one.isWritten || one.tries > 0
  return {
    replaced: deliveries.filter(mayBeSeen).map(({ id }) => id),
    dropped: deliveries.filter((one) => !mayBeSeen(one)).map(({ id }) => id),
  }
}

/**
 * The delivery that has been due for the longest time. If several became due at the same time, it is the one made
 * first.
 */
const firstDue = <C>(deliveries: readonly WaitingDelivery<C>[], now: number): WaitingDelivery<C> | undefined =>
  deliveries
    .filter(({ dueAt }) => dueAt <= now)
    .reduce<WaitingDelivery<C> | undefined>((best, one) => (best && best.dueAt <= one.dueAt ? best : one), undefined)

/** Plans for a channel that gets each change in a message of its own. */
function planSingle<C extends { id: string }>(
  alerts: readonly WaitingDelivery<C>[],
  rules: PlanRules<C>,
): DeliveryPlan<C> {
  const over: WaitingDelivery<C>[] = []
  const first = new Map<string, WaitingDelivery<C>>()
  for (const ofAlert of Map.groupBy(alerts, ({ id, changes }) => changes[0]?.id ?? id).values()) {
    const left = folded(ofAlert, rules)
    over.push(...ofAlert.filter((one) => !left.includes(one)))
    const due = left.findIndex(({ dueAt }) => dueAt <= rules.now)
    if (due < 0) continue
    // An earlier message that was never tried and becomes due soon is sent first, since the clock of the node that made
    // it may be ahead.
    const soon = left.findIndex((one, i) => i <= due && one.tries === 0 && one.dueAt <= rules.now + rules.groupAfter)
    const chosen = soon < 0 ? due : soon
    over.push(...left.slice(0, chosen))
    for (const one of left.slice(chosen, chosen + 1))
      first.set(one.id, { ...one, dueAt: Math.min(one.dueAt, rules.now) })
  }
  const inOrder = alerts.flatMap(({ id }) => first.get(id) ?? [])
  return planOf(firstDue(inOrder, rules.now), over)
}

/**
 * The deliveries about one alert, without those of which `fold` keeps no change. Deliveries after the last one that is
 * due and not yet written are not folded.
 */
function folded<C extends { id: string }>(
  ofAlert: readonly WaitingDelivery<C>[],
  { now, fold }: PlanRules<C>,
): readonly WaitingDelivery<C>[] {
  const last = ofAlert.findLastIndex(({ isWritten, dueAt }) => !isWritten && dueAt <= now)
  const kept = new Set(fold(ofAlert.slice(0, last + 1).flatMap(({ changes }) => changes)))
  return ofAlert.filter(({ changes }, i) => i > last || changes.some((change) => kept.has(change)))
}

/** Plans for a channel that gets several changes in one message. */
function planGroup<C extends { id: string }>(
  alerts: readonly WaitingDelivery<C>[],
  { now, groupAfter, fold }: PlanRules<C>,
): DeliveryPlan<C> {
  const isNew = ({ isWritten }: WaitingDelivery<C>) => !isWritten
  if (alerts.some((one) => isNew(one) && one.dueAt <= now)) {
    // A message that is due much later, for example after quiet hours, joins the group only if `withEarlier` needs it.
    const group = withEarlier(
      alerts,
      alerts.filter((one) => isNew(one) && one.dueAt <= now + groupAfter),
    )
    const changes = group.flatMap((one) => one.changes)
    return { ...ending(group), write: { into: undefined, changes: fold(changes) }, next: undefined }
  }
  return planOf(firstDue(firstAbout(alerts.filter(({ isWritten }) => isWritten)), now))
}

/** The deliveries that share no alert with an earlier delivery. */
function firstAbout<C extends { id: string }>(deliveries: readonly WaitingDelivery<C>[]): WaitingDelivery<C>[] {
  const seen = new Set<string>()
  return deliveries.filter(({ changes }) => {
    const isFirst = !changes.some(({ id }) => seen.has(id))
    for (const { id } of changes) seen.add(id)
    return isFirst
  })
}

/**
 * Adds to a group the deliveries that were made before its last delivery and share an alert with the group, also
 * through other added deliveries. Then no older message about these alerts is left.
 */
function withEarlier<C extends { id: string }>(
  alerts: readonly WaitingDelivery<C>[],
  first: readonly WaitingDelivery<C>[],
): readonly WaitingDelivery<C>[] {
  const group = new Set(first)
  const about = new Set(first.flatMap(({ changes }) => changes.map(({ id }) => id)))
  const earlier = alerts.slice(
    0,
    alerts.findLastIndex((one) => group.has(one)),
  )
  for (let before = -1; before < group.size; ) {
    before = group.size
    for (const one of earlier) {
      if (group.has(one) || !one.changes.some(({ id }) => about.has(id))) continue
      group.add(one)
      for (const { id } of one.changes) about.add(id)
    }
  }
  return alerts.filter((one) => group.has(one))
}
