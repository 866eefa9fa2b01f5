import type { Pace, PersonalChannelRow } from '@svc/api'
import { alertRules } from '@svc/api/words'
import { daysIn, timesIn, week } from '../parts/hours.ts'

/** The words for how often the service sends messages to a personal channel. */
export const paceWords: Readonly<Record<Pace, string>> = {
  at_once: 'at once',
  daily: 'once a day, at 08:00',
  weekly: 'once a week, on Monday at 08:00',
}

type Choices = Pick<PersonalChannelRow, 'rules' | 'pace' | 'quiet' | 'badPasses' | 'zone'>

/**
 * Says in a sentence which alerts a personal channel gets and when, such as `Sent at once: Offline, Level Bad. Quiet
 * every day from 22:00 to 07:00 of the next day (Europe/Berlin).`
 */
export function sentenceOf({ rules, pace, quiet, badPasses, zone }: Choices): string {
  const what = rules === null ? 'every alert' : rules.map((rule) => alertRules[rule].heading).join(', ') || 'nothing'
  const sent = `Sent ${paceWords[pace]}: ${what}.`
  if (!quiet) return sent
  const days = daysIn(quiet.days.map((day) => week[day - 1] ?? ''))
  return `${sent} Quiet ${days} ${timesIn(quiet)} (${zone})${badPasses ? ', except for Bad' : ''}.`
}
