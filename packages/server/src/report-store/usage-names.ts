/**
 * Limits the number of model names for each day of an agent. Names are free text, so a client that puts a date into
 * them would fill the database. The totals of a day are stored apart from the names, and so are always exact.
 */
import { addUp } from './pending.ts'
import type { UsageDelta } from './rows.ts'

/** The number of models that a day of an agent knows by name. */
export const namesPerDay = 200
/** The name under which a day sums all further models. */
export const otherModels = 'other'
/** The number of latest days that are never folded, since pages show them first. */
export const unfoldedDays = 31
/** The number of days for which sums are kept. */
export const usageDays = 400

/** The rows that an agent has in `usage_day` before new sums are added. */
export interface UsageRows {
  has(day: number, model: string): boolean
  /** The number of names of the day, and whether it has the row of the others. */
  of(day: number): { names: number; others: boolean }
}

/**
 * Assigns the sums to rows: their own when the day has the name or a free one, else the row of the others. A name that
 * went to the others stays there, because a day loses names only when it is folded, and then takes no new ones.
 */
export function underNames(due: readonly UsageDelta[], rows: UsageRows, today: number): UsageDelta[] {
  const left = new Map<number, number>()
  const isOwn = ({ day, model }: UsageDelta): boolean => {
    if (model === '' || model === otherModels || rows.has(day, model)) return true
    const free = left.get(day) ?? freeNames(rows.of(day), day, today)
    left.set(day, Math.max(0, free - 1))
    return free > 0
  }
  return addUp(
    [],
    due.map((sum) => (isOwn(sum) ? sum : { ...sum, model: otherModels })),
  )
}

function freeNames({ names, others }: ReturnType<UsageRows['of']>, day: number, today: number): number {
  const folded = others && day <= today - unfoldedDays
  return folded ? 0 : namesPerDay - names
}
