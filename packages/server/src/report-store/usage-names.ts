/**
 * How many names of models a day of an agent may have. Names are free text, so a client that puts a date into them would fill the
 * database. Runs, costs and tokens of a day are summed apart from the names, and so are exact whatever happens here.
 */
import { addUp } from './pending.ts'
import type { UsageDelta } from './rows.ts'

/** Models of an agent that a day knows by name. */
export const namesPerDay = 200
/** The name under which a day sums the models that are too many. */
export const otherModels = 'other'
/** Days that are never folded because an agent has too many rows: those that pages show first. */
export const unfoldedDays = 31
/** Days are kept for so long. */
export const usageDays = 400

/** What an agent has in `usage_day` before these sums come. */
export interface UsageRows {
  has(day: number, model: string): boolean
  /** How many names the day has, and whether it has the row of the others. */
  of(day: number): { names: number; others: boolean }
}

/**
 * The rows that these sums change: their own where the day has the name or still takes one, else the row of the others. A name that
 * was once among the others stays there, since a day never loses its names but when it is folded, and then takes no new ones.
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
