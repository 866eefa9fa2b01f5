/**
 * The time of the simulated fleet before the demo began, so that pictures have something to show: the last day of each
 * agent, and its versions in the last weeks. Pure functions.
 */
import type { Level } from '@svc/protocol'
import { share } from '../coder-simulated/work.mts'
import { detailPrefix, type Member } from './members.ts'
import { hasBlueprint } from './updates.ts'

/** A change of an agent's level. Times are in Unix milliseconds. */
export interface PastLevel {
  readonly at: number
  readonly level: Level
  readonly label: string
  readonly detail?: string
}

const hourMs = 3_600_000
const pastHours = 26
/** The length of the parts of a day. In each part, an agent may have another level than `ok` once. */
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

const dayMs = 24 * hourMs
const pastDays = 45
/** The versions that agents had, with the number of days ago on which each appeared. */
const appeared = { '1.2.0': pastDays + 8, '1.3.9': 31, '1.4.0': 16, '1.5.0-rc.1': 9 }
/** The days within which an agent takes a version that has appeared. */
const spreadDays = 7

/** The number of agents on each version, on each day before `now`, the oldest first. */
export function pastVersions(
  members: readonly Pick<Member, 'seed' | 'version'>[],
  now: number,
): { at: number; version: string; agents: number }[] {
  const ofBlueprint = members.filter(hasBlueprint)
  return Array.from({ length: pastDays }, (_, i) => pastDays - i).flatMap((daysAgo) =>
    [...Map.groupBy(ofBlueprint, (member) => versionOn(member, daysAgo))].map(([version, { length: agents }]) => ({
      ...{ at: now - daysAgo * dayMs, version, agents },
    })),
  )
}

/** The version that an agent had so many days ago: the newest that it had taken by then, at most its present one. */
function versionOn({ seed, version }: Pick<Member, 'seed' | 'version'>, daysAgo: number): string {
  const versions = Object.entries(appeared)
  const own = versions.findIndex(([name]) => name === version)
  const taken = versions.slice(0, own + 1).filter(([, days], i) => days - share(seed, 300 + i) * spreadDays >= daysAgo)
  return taken.at(-1)?.[0] ?? version
}
