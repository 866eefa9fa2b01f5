/**
 * The rule `item`: each bad health item of an agent has an alert of its own. While one of them is open, the rule `bad`
 * does not hold for the agent, so that a message names the item and not only the agent. Pure.
 */
import { otherItems, type RuleName } from '@svc/api'
import { type AlertFacts, type ConditionFinding, isReportOverdue, type Rule, stoppedFinding } from './conditions.ts'
import { type Alert, isAlertOpen, openingsWithin } from './judge.ts'

/** An item and the alert about it, which has not ended. */
interface KnownItem {
  item: string
  alert: Alert
}

interface ItemFinding {
  item: string
  finding: ConditionFinding
}

/**
 * The maximum number of items that may still be bad although an agent's signs do not name them: a report has up to 50
 * health items, and signs name 20.
 */
const maxUnnamed = 30

/**
 * The agent chooses the names of its items, so the alerts about them are limited. Further items share one alert after
 * `endedMax` alerts ended within an hour, `maxInHour` opened within an hour, or `maxInDay` were made within a day. Many
 * items that become bad at once thus cause at most five messages.
 */
const endedMax = 2
const maxInHour = 4
const maxInDay = 40
const day = 24 * 60 * 60_000
/** The maximum number of names in the label of the alert that items share. */
const labelledNames = 3

/** The earlier alerts about items of an agent. */
export interface EarlierItems {
  /** The item of each alert that ended within the last hour. */
  ended: readonly string[]
  /** The number of alerts that were made within the last day and have ended. */
  inDay: number
}
export const noEarlierItems: EarlierItems = { ended: [], inDay: 0 }

const holdingFinding = { is: 'holds' } as const

/** Judges the bad health items of an agent, and the items in `known`. */
export function findItems(
  rule: Rule,
  agent: AlertFacts,
  { known, earlier, now }: { known: readonly KnownItem[]; earlier: EarlierItems; now: number },
): ItemFinding[] {
  const all = (finding: ConditionFinding) => known.map(({ item }) => ({ item, finding }))
  if (!rule.on) return all({ is: 'over' })
  if (agent.receivedAt === null) return all({ is: 'clear' })
  if (agent.stopped === 'person') return all(stoppedFinding)
  if (isReportOverdue(agent, now)) return all({ is: 'unknown' })
  const { items, moreItems } = agent.signs
  const unnamed = new Set(moreItems > 0 ? newestOpen(known, items) : [])
  const shared = sharedItems(items, { known, earlier, now })
  const others = shared.size + moreItems
  return [
    ...items.filter((item) => !shared.has(item)).map((item) => ({ item, finding: holdingFinding })),
    ...(others > 0
      ? [{ item: otherItems, finding: { is: 'holds', label: labelOf([...shared], others) } as const }]
      : []),
    ...known
      .filter(({ item }) => shared.has(item) || (!items.includes(item) && !(item === otherItems && others > 0)))
      .map(({ item }): ItemFinding => {
        return { item, finding: { is: shared.has(item) ? 'over' : unnamed.has(item) ? 'unknown' : 'clear' } }
      }),
  ]
}

/** The bad items that get no alert of their own. An item whose alert has opened keeps that alert. */
function sharedItems(
  items: readonly string[],
  { known, earlier, now }: { known: readonly KnownItem[]; earlier: EarlierItems; now: number },
): ReadonlySet<string> {
  const opened = known.filter(({ alert }) => alert.openedAt !== null)
  const own = new Set(opened.map(({ item }) => item))
  const isUnsteady = opened.some(({ item, alert }) => item === otherItems && alert.unsteadySince !== null)
  const closing = known.filter(({ alert }) => alert.phase === 'closing').map(({ item }) => item)
  const ended = [...earlier.ended, ...closing]
  const inHour = opened
    .filter(({ item, alert }) => item !== otherItems && (alert.openedAt ?? 0) > now - openingsWithin)
    .map(({ item }) => item)
    .concat(earlier.ended)
  let inDay = earlier.inDay + opened.filter(({ alert }) => (alert.openedAt ?? 0) > now - day).length
  const shares = (item: string): boolean => {
    if (own.has(item)) return false
    if (isUnsteady || isFull(ended, endedMax, item) || isFull(inHour, maxInHour, item)) return true
    inHour.push(item)
    inDay += 1
    return inDay > maxInDay
  }
  // Items that already wait for an alert come first, so that the order of the items in a report does not matter.
  const waiting = new Set(known.map(({ item }) => item))
  const inOrder = [...items.filter((item) => waiting.has(item)), ...items.filter((item) => !waiting.has(item))]
  const shared = new Set(inOrder.filter(shares))
  return new Set(items.filter((item) => shared.has(item)))
}

/**
 * The words of the alert that items share: the bad items of a report without alerts of their own. Null if there are
 * none.
 */
export function sharedLabel(
  { items, moreItems }: Pick<AlertFacts['signs'], 'items' | 'moreItems'>,
  own: ReadonlySet<string>,
): string | null {
  const shared = items.filter((item) => !own.has(item))
  const others = shared.length + moreItems
  return others > 0 ? labelOf(shared, others) : null
}

/**
 * True if `item` gets no alert of its own because `names`, which has the item of each counted alert, has at least `max`
 * entries. If all of them are `item`, it gets one: an item that comes and goes has alerts of its own.
 */
const isFull = (names: readonly string[], max: number, item: string): boolean =>
  names.length >= max && names.some((name) => name !== item)

function labelOf(shared: readonly string[], others: number): string {
  const names = shared.slice(0, labelledNames)
  const more = others - names.length
  return [names.join(', '), more > 0 ? `and ${more} more` : ''].filter(Boolean).join(' ')
}

/** The items with the newest open alerts among those that the signs do not name. They may still be bad. */
const newestOpen = (known: readonly KnownItem[], named: readonly string[]): string[] =>
  known
    .filter(({ item, alert }) => isAlertOpen(alert) && item !== otherItems && !named.includes(item))
    .toSorted((a, b) => (b.alert.openedAt ?? 0) - (a.alert.openedAt ?? 0))
    .slice(0, maxUnnamed)
    .map(({ item }) => item)

/** A finding about an agent, or about one of its items. */
interface AboutAgent {
  rule: { name: RuleName }
  about: { id: string }
}

/**
 * Notes which agents have open alerts about items. An agent's findings about items must be passed before its finding of
 * the rule `bad`.
 */
export function itemsFirst(): {
  /** The finding with which a rule is judged: `bad` is over for an agent that has an open alert about an item. */
  finding: <F extends AboutAgent & { finding: ConditionFinding }>(found: F) => ConditionFinding
  judged: (found: AboutAgent, alert: Alert | undefined) => void
} {
  const agents = new Set<string>()
  return {
    finding: ({ rule, about, finding }) => (rule.name === 'bad' && agents.has(about.id) ? { is: 'over' } : finding),
    judged: ({ rule, about }, alert) => {
      if (rule.name === 'item' && alert && isAlertOpen(alert)) agents.add(about.id)
    },
  }
}
