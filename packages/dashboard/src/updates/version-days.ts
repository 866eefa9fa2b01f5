/** The columns of the picture of versions over time. Pure. */
import type { VersionDays } from '@svc/api'
import { type Column, lastDays } from '../ui/charts/stack.ts'

/** The name of the series with the agents of all rare versions. */
const otherVersionsName = 'rare versions'

const dayMs = 86_400_000

/**
 * One column for each of the last days, or of the last weeks if there are more than 90 days. A week has the figures of
 * its last day that was counted. A column without a count is empty.
 */
export function columnsOf({ now, days: counted }: Pick<VersionDays, 'now' | 'days'>, days: number): Column[] {
  const byDate = new Map(counted.map(({ date, agents }) => [date, agents]))
  const dates = lastDays(now, days)
  if (days <= 90) return dates.map((date) => ({ key: date, parts: partsOf(byDate.get(date)) }))
  const weeks = Map.groupBy(dates, mondayOf)
  return [...weeks].map(([monday, inWeek]) => {
    const last = inWeek.findLast((date) => byDate.has(date))
    return { key: monday, parts: partsOf(last === undefined ? undefined : byDate.get(last)) }
  })
}

const partsOf = (agents: Record<string, number> = {}): Record<string, number> =>
  Object.fromEntries(
    Object.entries(agents).map(([version, count]) => [version === '' ? otherVersionsName : version, count]),
  )

/** The Monday (UTC) of the week of a date. */
function mondayOf(date: string): string {
  const at = Date.parse(`${date}T00:00:00Z`)
  return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10)
}
