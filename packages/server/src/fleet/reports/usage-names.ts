/**
 * Limits the number of model names for each day of an agent. Names are free text, so a client that puts a date into
 * them would fill the database. The totals of a day are stored apart from the names, and so are always exact.
 */
import { addUsageDeltas } from './pending.ts'
import type { UsageDelta } from './stored.ts'

/** The maximum number of models of an agent that have a separate row for one day. */
export const maxModelsPerDay = 200
/** The name of the row in which a day sums all models that have no separate row. */
export const otherModels = 'other'
/** The number of latest days whose models the sweeper never adds up to one row, because pages show these days first. */
export const unfoldedDays = 31
/** The number of days for which sums are kept. */
export const usageDays = 400

/** The stored rows of an agent, or of the deleted agents of a workspace, before new sums are added. */
export interface UsageRows {
  has(day: number, model: string): boolean
  /** The number of models that have a row for the day, and whether the day has the row `other`. */
  of(day: number): { names: number; others: boolean }
}

/**
 * Decides for each sum in which row it is stored: the row of its model if the day has that row or has room for it,
 * otherwise the row `other`. An old day that has the row `other` has no room for new rows.
 */
export function assignUsageRows(due: readonly UsageDelta[], rows: UsageRows, today: number): UsageDelta[] {
  const left = new Map<number, number>()
  const isOwn = ({ day, model }: UsageDelta): boolean => {
    if (model === '' || model === otherModels || rows.has(day, model)) return true
    const free = left.get(day) ?? freeNames(rows.of(day), day, today)
    left.set(day, Math.max(0, free - 1))
    return free > 0
  }
  return addUsageDeltas(
    [],
    due.map((sum) => (isOwn(sum) ? sum : { ...sum, model: otherModels })),
  )
}

function freeNames({ names, others }: ReturnType<UsageRows['of']>, day: number, today: number): number {
  const folded = others && day <= today - unfoldedDays
  return folded ? 0 : maxModelsPerDay - names
}
