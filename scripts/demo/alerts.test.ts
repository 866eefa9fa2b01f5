import { expect, test } from 'vitest'
import { linesOf } from './alerts.ts'

const message = (summary: unknown) =>
  JSON.stringify({ type: 'alert.opened', timestamp: '2026-11-23T14:02:11Z', data: { summary } })

test('a message is one line, without characters that steer the terminal', () => {
  const lines = linesOf(message('mail-triage has been offline: \u001b[2J\nfake\u009b'))
  expect(lines).toEqual(['alert.opened 14:02:11 UTC: mail-triage has been offline:  [2J fake '])
})

test('of a grouped message the first alerts are printed, real agents first, and the others are counted', () => {
  const names = [1, 2, 3, 4, 5, 6, 7].map((n) => `sim-mail-${n}`)
  const alerts = [...names, 'link-checker'].map((name) => JSON.parse(message(`${name} is bad`)))
  const lines = linesOf(JSON.stringify({ type: 'alerts', timestamp: '', data: { workspace: 'demo', alerts } }))
  expect(lines).toHaveLength(6)
  expect(lines[0]).toBe('alert.opened 14:02:11 UTC: link-checker is bad')
  expect(lines[1]).toBe('alert.opened 14:02:11 UTC: sim-mail-1 is bad')
  expect(lines[5]).toBe('… and 3 more, under Alerts on the page.')
})

const noMessages = ['', 'null', '{}', '[]', '{"data":{"alerts":[null,3]}}', message(undefined), message(3)]
test.each(noMessages)('%j is no message', (body) => {
  expect(linesOf(body)).toEqual([])
})
