/** Mutes: silence for an agent, a rule or a whole workspace, with an end. Pure; nothing is evaluated less while one lasts. */
import type { RuleName } from '@svc/api'

export interface Mute {
  id: string
  /** Null: all agents, and what is about no agent. */
  agentId: string | null
  /** Null: all rules. */
  rule: RuleName | null
  from: number
  /** Null: until nothing that it covers is open. */
  until: number | null
}

/** Something that a mute may cover. */
interface Covered {
  rule: RuleName
  /** Null: it is about no agent. */
  agentId: string | null
}

const isOn = ({ from, until }: Mute, now: number): boolean => now >= from && (until === null || now < until)

const covers = (mute: Mute, { rule, agentId }: Covered): boolean =>
  (mute.rule === null || mute.rule === rule) && (mute.agentId === null || mute.agentId === agentId)

export const isMuted = (mutes: readonly Mute[], about: Covered, now: number): boolean =>
  mutes.some((mute) => isOn(mute, now) && covers(mute, about))

/** The mutes that have ended by themselves: their time is over, or what they covered until its end has ended. */
export const endedMutes = (mutes: readonly Mute[], open: readonly Covered[], now: number): Mute[] =>
  mutes.filter((mute) =>
    mute.until === null ? now >= mute.from && !open.some((alert) => covers(mute, alert)) : now >= mute.until,
  )
