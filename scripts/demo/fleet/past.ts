/**
 * The last day of an agent of the simulated fleet before the demo began, so that its strip has something to show. A
 * pure function.
 */
import type { Level } from '@svc/protocol'
import { share } from '../coder-simulated/work.mts'
import { detailPrefix, type Member } from './members.ts'

/** A change of an agent's level. Times are in Unix milliseconds. */
export interface PastLevel {
  readonly at: number
  readonly level: Level
  readonly label: string
  readonly detail?: string
}

const hourMs = 3_600_000
const pastHours = 26
/** The hours into which the day is divided. Each part may have a time of trouble. */
const partHours = 4

/** The changes of level up to `now`, the oldest first; none of an agent that never reports. */
export function pastOf({ seed, condition }: Pick<Member, 'seed' | 'condition'>, now: number): PastLevel[] {
  if (condition.reports === 'never') return []
  const begin = now - pastHours * hourMs
  const past: PastLevel[] = [{ at: begin, level: 'ok', label: 'Waiting' }]
  for (let part = 0; part < pastHours / partHours - 1; part++) {
    const chance = share(seed, 200 + part)
    if (chance > 0.4) continue
    const level = chance < 0.06 ? 'bad' : chance < 0.18 ? 'warn' : 'info'
    const from = begin + (part * partHours + 0.5 + share(seed, 220 + part) * 2) * hourMs
    const until = from + (0.2 + share(seed, 240 + part)) * hourMs
    past.push({
      at: Math.floor(from),
      level,
      label: { bad: 'Queue timeout', warn: 'Slow answers', info: 'Idle' }[level],
    })
    past.push({ at: Math.floor(until), level: 'ok', label: 'Waiting' })
  }
  const { state } = condition
  const hours = 0.3 + share(seed, 260) * 1.5
  if (state) past.push({ ...state, at: Math.floor(now - hours * hourMs), detail: detailPrefix + state.detail })
  return past
}
