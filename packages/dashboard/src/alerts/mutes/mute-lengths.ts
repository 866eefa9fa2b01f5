import { tomorrowMorning } from '../parts/words.ts'

const hour = 3600

/**
 * The lengths of a mute that a person can choose, in seconds. Null means that the mute ends as soon as no alert that it
 * covers is open.
 */
export const muteLengths: readonly (readonly [words: string, seconds: (now: number) => number | null])[] = [
  ['For 1 hour', () => hour],
  ['For 8 hours', () => 8 * hour],
  ['Until tomorrow, 08:00', (now) => Math.ceil((tomorrowMorning(now) - now) / 1000)],
  ['Until it is over', () => null],
]
