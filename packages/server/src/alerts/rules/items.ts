/**
 * The rule `item`: each bad health item of an agent has an alert of its own. While one of them is open, the rule `bad`
 * does not hold for the agent, so that a message names the item and not only the agent. Pure.
 */
import { otherItems, type RuleName } from '@svc/api'
import { type AlertFacts, type Finding, isSilent, type Rule } from './conditions.ts'
import { type Alert, isOpen } from './judge.ts'

/** An alert about an item that has not ended. */
interface KnownItem {
  item: string
  alert: Alert
}

interface ItemFinding {
  item: string
  finding: Finding
}

/**
 * The maximum number of open alerts about items that are kept although a report has no room for their names. A report
 * has at most 50 health items, of which 20 are named.
 */
const maxUnnamed = 30

const holds = { is: 'holds' } as const

/** Judges the health items of an agent that are bad, and those about which it has alerts. */
export function findItems(rule: Rule, agent: AlertFacts, known: readonly KnownItem[], now: number): ItemFinding[] {
  const all = (finding: Finding) => known.map(({ item }) => ({ item, finding }))
  if (!rule.on) return all({ is: 'over' })
  if (agent.receivedAt === null) return all({ is: 'clear' })
  if (isSilent(agent, now)) return all({ is: 'unknown' })
  const { items, moreItems } = agent.signs
  const unnamed = new Set(moreItems > 0 ? newestOpen(known, items) : [])
  return [
    ...items.map((item) => ({ item, finding: holds })),
    ...(moreItems > 0 ? [{ item: otherItems, finding: { is: 'holds', label: `and ${moreItems} more` } as const }] : []),
    ...known
      .filter(({ item }) => !items.includes(item) && !(item === otherItems && moreItems > 0))
      .map(({ item }): ItemFinding => ({ item, finding: { is: unnamed.has(item) ? 'unknown' : 'clear' } })),
  ]
}

/** The items with open alerts that are not among those that a report names. They may still be bad, or not. */
const newestOpen = (known: readonly KnownItem[], named: readonly string[]): string[] =>
  known
    .filter(({ item, alert }) => isOpen(alert) && item !== otherItems && !named.includes(item))
    .toSorted((a, b) => (b.alert.openedAt ?? 0) - (a.alert.openedAt ?? 0))
    .slice(0, maxUnnamed)
    .map(({ item }) => item)

/** A finding about an agent, or about one of its items. */
interface AboutAgent {
  rule: { name: RuleName }
  about: { id: string }
}

/**
 * Notes which agents have open alerts about items. Findings must be passed in the order in which they are judged, with
 * those about items before that of `bad`.
 */
export function itemsFirst(): {
  /** The finding with which a rule is judged: `bad` is over for an agent that has an open alert about an item. */
  finding: <F extends AboutAgent & { finding: Finding }>(found: F) => Finding
  judged: (found: AboutAgent, alert: Alert | undefined) => void
} {
  const agents = new Set<string>()
  return {
    finding: ({ rule, about, finding }) => (rule.name === 'bad' && agents.has(about.id) ? { is: 'over' } : finding),
    judged: ({ rule, about }, alert) => {
      if (rule.name === 'item' && alert && isOpen(alert)) agents.add(about.id)
    },
  }
}
