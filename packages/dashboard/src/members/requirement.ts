/** Puts into words that admins need a second factor, and reads the day from which they need one. */
import type { Members } from '@svc/api'
import { dayOf, fromLocalTime } from '../ui/forms/local-time.ts'
import { dateAndTime } from '../ui/time/relative.ts'

type Member = Pick<Members['members'][number], 'name' | 'role' | 'self' | 'factor'>

/** Says why a factor cannot be required from this day; null if it can. */
export function wrongDay(typed: string, now: number): string | null {
  if (beginOf(typed) === undefined) return 'Enter a date.'
  return typed < dayOf(now) ? 'This day is past. Choose today, and it holds at once.' : null
}

/** The time from which a factor is required, if a person chose this day: its beginning, or now for today. */
export const requiredFrom = (typed: string, now: number): number => Math.max(beginOf(typed) ?? now, now)

const beginOf = (typed: string): number | undefined => {
  const seconds = fromLocalTime(`${typed}T00:00`)
  return seconds === undefined ? undefined : seconds * 1000
}

export function requirementInWords(from: number | null, now: number): string {
  if (from === null) return 'Admins may sign in with a password alone.'
  return from > now
    ? `From ${dateAndTime(from, now)} on, admins need a second factor. Without one they then have the rights of a member.`
    : `Admins have needed a second factor since ${dateAndTime(from, now)}. Without one they have the rights of a member.`
}

/** Says which admins have no second factor, so that nobody is surprised when one is required. */
export function lackingInWords(members: readonly Member[]): string {
  const admins = members.filter(({ role }) => role === 'admin')
  const lacking = admins.filter(({ factor }) => factor === false)
  if (lacking.length === 0) return admins.length === 1 ? 'You have one.' : 'All admins have one.'
  const others = lacking.filter(({ self }) => !self).map(({ name }) => name)
  const names = lacking.some(({ self }) => self) ? ['you', ...others] : others
  const shown = names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names
  return `Admins without one: ${list.format(shown)}.`
}

/** The number of names that are listed before the rest is only counted. */
const most = 5
const list = new Intl.ListFormat('en-GB')
