import type { Pace } from '@svc/api'

/** The words for how often the service sends messages to a personal channel. */
export const paceWords: Readonly<Record<Pace, string>> = {
  at_once: 'at once',
  daily: 'once a day, at 08:00',
  weekly: 'once a week, on Monday at 08:00',
}
