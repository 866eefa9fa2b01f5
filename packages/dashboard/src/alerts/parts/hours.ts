/**
 * Converts the hours in which an agent is expected to report between the service's text, such as `weekdays 08:00-19:00
 * Europe/Berlin`, the values of a form, and a sentence.
 */
import { trimInvisible } from '@svc/protocol'
import { listInWords } from './words.ts'

/** The values of the form for expected hours. `days` are short names such as `Mon`, and times are such as `08:00`. */
export interface HoursValues {
  days: string[]
  from: string
  to: string
  zone: string
}

/** The short name of each day, as the service writes it, with the name that people read. */
export const dayNames: Readonly<Record<string, string>> = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
}
/** The short names of the days, Monday first. */
export const weekDays = Object.keys(dayNames)
/** The groups of days by the service's names, such as `weekdays`: their days, and their words on the page. */
const groups: Readonly<Record<string, { days: readonly string[]; words: string }>> = {
  daily: { days: weekDays, words: 'every day' },
  weekdays: { days: weekDays.slice(0, 5), words: 'on weekdays' },
  weekends: { days: weekDays.slice(5), words: 'at weekends' },
}

/** The values with which the form opens if an agent has no expected hours. */
export const firstHours = (zone: string): HoursValues => ({
  days: [...weekDays.slice(0, 5)],
  from: '08:00',
  to: '19:00',
  zone,
})

/** Reads expected hours as the service writes them; null for any other text. */
export function readHours(text: string): HoursValues | null {
  const [, named = '', from = '', to = '', zone = ''] = /^(\S+) (\d\d:\d\d)-(\d\d:\d\d) (\S+)$/.exec(text) ?? []
  const days = groups[named]?.days ?? named.split(',')
  return days.every((day) => weekDays.includes(day)) ? { days: [...days], from, to, zone } : null
}

/** Writes expected hours as the service reads them. */
export const writeHours = ({ days, from, to, zone }: HoursValues): string =>
  `${weekDays.filter((day) => days.includes(day)).join(',')} ${from}-${to} ${trimInvisible(zone)}`

/** Says in a sentence when an agent is expected to report; null means at all times. */
export function hoursSentence(text: string | null): string {
  if (text === null) return 'Expected to report at all times.'
  const hours = readHours(text)
  if (!hours) return `Expected to report: ${text}.`
  return `Expected to report ${daysText(hours.days)} ${timesText(hours)} (${hours.zone}). Outside of these hours it may be offline without an alert.`
}

/** Days in words, such as `on weekdays` or `on Mondays and Fridays`. */
export function daysText(days: readonly string[]): string {
  const group = Object.values(groups).find((one) => one.days.join() === days.join())
  if (group) return group.words
  const names = days.map((day) => `${dayNames[day]}s`)
  return `on ${listInWords(names)}`
}

/** The times of weekly hours in words. An end before the start is on the next day; equal times are a whole day. */
export function timesText({ from, to }: Pick<HoursValues, 'from' | 'to'>): string {
  if (from === to) return from === '00:00' ? 'all day' : `for 24 hours from ${from}`
  return `from ${from} to ${to}${to < from ? ' of the next day' : ''}`
}

/**
 * The error below each field of the form for expected hours; null if its value is valid. Only the service checks that
 * the time zone exists.
 */
export const hoursFormErrors = {
  days: (days: string[]) => (days.length > 0 ? null : 'Choose at least one day.'),
  from: (time: string) => (isTime(time) ? null : 'Enter a time.'),
  to: (time: string) => (isTime(time) ? null : 'Enter a time.'),
  zone: (zone: string) => (/^\S+$/.test(trimInvisible(zone)) ? null : 'Enter a time zone such as America/New_York.'),
}

const isTime = (text: string): boolean => /^\d\d:\d\d$/.test(text)
