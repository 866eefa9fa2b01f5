import { expect, test } from 'vitest'
import { lineOf } from './alerts.ts'

const message = (summary: unknown) =>
  JSON.stringify({ type: 'alert.opened', timestamp: '2026-11-23T14:02:11Z', data: { summary } })

test('a message is one line, without characters that steer the terminal', () => {
  const line = lineOf(message('mail-triage has been offline: \u001b[2J\nfake\u009b'))
  expect(line).toBe('alert.opened 14:02:11 UTC: mail-triage has been offline:  [2J fake ')
})

test.each(['', 'null', '{}', '[]', message(undefined), message(3)])('%j is no message', (body) => {
  expect(lineOf(body)).toBeUndefined()
})
