/** Durations in words. */

/** The units in which durations are shown, each with its length in seconds. */
export const units = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const
export type Unit = keyof typeof units

/** Converts seconds to the largest unit that divides them: 600 are 10 minutes, 90 are 90 seconds. */
export function inUnit(seconds: number): { number: number; unit: Unit } {
  const unit = (Object.keys(units) as Unit[]).find((one) => seconds >= units[one] && seconds % units[one] === 0)
  return unit ? { number: seconds / units[unit], unit } : { number: seconds, unit: 'seconds' }
}

/** A duration in words, in the largest unit that divides it: `10 minutes`, `90 seconds`, `1 day`. */
export function lengthOf(seconds: number): string {
  const { number, unit } = inUnit(seconds)
  return `${number} ${number === 1 ? unit.slice(0, -1) : unit}`
}
