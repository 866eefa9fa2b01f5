/** Computes how long an agent was in each state in the last days, in steps of equal length. */
import type { AgentTrend, StateSpan, TimeShares } from '@svc/api'
import { levels } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'
import { agentStates } from './states.ts'
import { usageSums } from './usage.ts'

/** The seconds of a step, for a trend over this number of days. */
const stepOf = (days: number): number => (days === 1 ? 600 : days === 7 ? 3600 : dayMs / 1000)

/** The time that an agent spent in each state in the last days. The last step is the present one. */
export async function agentTrend(db: Db, agent: { id: string }, days: number, now: number): Promise<AgentTrend> {
  const step = stepOf(days)
  const until = (Math.floor(now / (step * 1000)) + 1) * step * 1000
  const from = until - days * dayMs
  const spans = await agentStates(db, agent, { since: from, until: now, now })
  const time = Array.from({ length: (until - from) / (step * 1000) }, noTime)
  for (const span of spans) addTime(time, span, { from, stepMs: step * 1000 })
  for (const shares of time) for (const key of shareNames) shares[key] = Math.round(shares[key]) / 1000
  const usage = step * 1000 < dayMs ? [] : await usageByDay(db, agent, dayNumber(from), days)
  return { from, until, step, gauges: [], time, usage }
}

const shareNames = [...levels, 'none', 'paused', 'offline', 'stopped', 'unknown'] as const
const noTime = () => Object.fromEntries(shareNames.map((name) => [name, 0])) as TimeShares

/** Adds the milliseconds of a span to the steps in which it lies. */
function addTime(time: TimeShares[], span: StateSpan, { from, stepMs }: { from: number; stepMs: number }): void {
  const key = span.is === 'reporting' ? (span.level ?? 'none') : span.is
  for (let at = span.from; at < span.until; ) {
    const i = Math.floor((at - from) / stepMs)
    const end = Math.min(span.until, from + (i + 1) * stepMs)
    const shares = time[i]
    if (shares) shares[key] += end - at
    at = end
  }
}

async function usageByDay(db: Db, agent: { id: string }, first: number, days: number): Promise<AgentTrend['usage']> {
  const usage: AgentTrend['usage'] = Array.from({ length: days }, () => null)
  for (const { day, model, runs, costMicro, outputTokens } of await usageSums(db, agent, first))
    if (model === '' && usage[day - first] !== undefined)
      usage[day - first] = { runs, cost: costMicro / 1_000_000, outputTokens }
  return usage
}
