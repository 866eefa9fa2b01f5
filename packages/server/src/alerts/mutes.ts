/**
 * Mutes: for some time no messages are sent about an agent, a rule or a whole workspace. Rules are still evaluated.
 * Pure.
 */
import type { RuleName } from '@svc/api'

export interface Mute {
  id: string
  /** The id of the muted agent; null means all agents, and alerts that are not about an agent. */
  agentId: string | null
  /** The muted rule; null means all rules. */
  rule: RuleName | null
  from: number
  /** When the mute ends; null means that it lasts until every alert that it covers has ended. */
  until: number | null
}

/** The facts about an alert by which mutes cover it. */
interface Covered {
  rule: RuleName
  /** The agent that the alert is about; null if it is not about an agent. */
  agentId: string | null
}

const isOn = ({ from, until }: Mute, now: number): boolean => now >= from && (until === null || now < until)

const covers = (mute: Mute, { rule, agentId }: Covered): boolean =>
  (mute.rule === null || mute.rule === rule) && (mute.agentId === null || mute.agentId === agentId)

export const isMuted = (mutes: readonly Mute[], about: Covered, now: number): boolean =>
  mutes.some((mute) => isOn(mute, now) && covers(mute, about))

/**
 * The mutes that are over: their time has passed, or, for mutes without an end time, no alert that they cover is left
 * in `open`, the alerts that have not ended.
 */
export const endedMutes = (mutes: readonly Mute[], open: readonly Covered[], now: number): Mute[] =>
  mutes.filter((mute) =>
    mute.until === null ? now >= mute.from && !open.some((alert) => covers(mute, alert)) : now >= mute.until,
  )
