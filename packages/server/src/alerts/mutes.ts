/**
 * Mutes: for some time no messages are sent about an agent, one of its items, a rule or a whole workspace. Rules are
 * still evaluated. Pure.
 */
import type { RuleName } from '@svc/api'

/** A stored mute. Times are Unix milliseconds. */
export interface Mute {
  id: string
  /** The id of the muted agent; null means all agents, and alerts that are not about an agent. */
  agentId: string | null
  /** The muted rule; null means all rules. */
  rule: RuleName | null
  /** The muted health item of the agent; null means all items, and alerts that are not about an item. */
  item: string | null
  from: number
  /** When the mute ends; null means that it lasts until every alert that it covers has ended. */
  until: number | null
}

/** The facts about an alert by which mutes cover it. */
interface MuteTarget {
  rule: RuleName
  /** The agent that the alert is about; null if it is not about an agent. */
  agentId: string | null
  /** The health item that the alert is about; absent if it is not about one. */
  item?: string | undefined
}

const isOn = ({ from, until }: Mute, now: number): boolean => now >= from && (until === null || now < until)

/** The key of a mute. A mute covers an alert if its key is one of those that `keysOf` returns for the alert. */
const keyOf = (rule: RuleName | null, agentId: string | null, item: string | null = null): string =>
  `${rule ?? ''} ${agentId ?? ''} ${item ?? ''}`
const keysOf = ({ rule, agentId, item }: MuteTarget): string[] => [
  keyOf(null, null),
  keyOf(rule, null),
  keyOf(null, agentId),
  keyOf(rule, agentId),
  ...(item === undefined ? [] : [keyOf(rule, agentId, item)]),
]

/** Returns a function that says if an alert is muted at `now`. Its cost does not grow with the number of mutes. */
export function mutedAt(mutes: readonly Mute[], now: number): (about: MuteTarget) => boolean {
  const keys = new Set(
    mutes.filter((mute) => isOn(mute, now)).map(({ rule, agentId, item }) => keyOf(rule, agentId, item)),
  )
  return (about) => keys.size > 0 && keysOf(about).some((key) => keys.has(key))
}

/**
 * The mutes that are over. A mute without an end time is over if it has started and covers none of the alerts in
 * `open`.
 */
export function endedMutes(mutes: readonly Mute[], open: readonly MuteTarget[], now: number): Mute[] {
  if (mutes.length === 0) return []
  const covered = new Set(open.flatMap(keysOf))
  return mutes.filter(({ rule, agentId, item, from, until }) =>
    until === null ? now >= from && !covered.has(keyOf(rule, agentId, item)) : now >= until,
  )
}
