import { expect, test } from 'vitest'
import { choicesSentence } from './MineTab.tsx'

const channel = { rules: null, pace: 'at_once', quiet: null, badPasses: false, zone: 'Europe/Berlin' } as const
const night = { days: [1, 2, 3, 4, 5], from: '22:00', to: '07:00' }

test.each<[Partial<Parameters<typeof choicesSentence>[0]>, string]>([
  [{}, 'Sent at once: every alert.'],
  [{ rules: ['silent', 'bad'], pace: 'daily' }, 'Sent once a day, at 08:00: Offline, Level Bad.'],
  [{ rules: [] }, 'Sent at once: nothing.'],
  [
    { quiet: night },
    'Sent at once: every alert. Quiet on weekdays from 22:00 to 07:00 of the next day (Europe/Berlin).',
  ],
  [
    { quiet: { days: [6, 7], from: '09:00', to: '18:00' }, badPasses: true },
    'Sent at once: every alert. Quiet at weekends from 09:00 to 18:00 (Europe/Berlin), except for Bad.',
  ],
])('the choices %j for a personal channel are a sentence', (choices, sentence) => {
  expect(choicesSentence({ ...channel, ...choices })).toBe(sentence)
})
