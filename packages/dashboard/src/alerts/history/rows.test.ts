import type { AlertBar } from '@svc/api'
import { expect, test } from 'vitest'
import { barNear, positionSpans, timeBarsPath } from '../../ui/charts/TimeBars.tsx'
import { axisMarksOf, spanAfterKey, spanText, timelineRowsOf } from './rows.ts'

const hour = 3_600_000
const end = new Date(2026, 10, 27, 16, 20).getTime()
const period = { start: end - 24 * hour, end }

const alert = (id: string, from: number, to: number | null, more: Partial<AlertBar> = {}): AlertBar => ({
  id,
  rule: 'bad',
  level: 'bad',
  subject: { kind: 'agent', name: 'mail' },
  openedAt: end - from * hour,
  endedAt: to === null ? null : end - to * hour,
  ...more,
})
const web = { subject: { kind: 'agent', name: 'web' } } as const

test('a row has the number of its alerts and their lengths within the period, and the longest row is first', () => {
  const alerts = [
    alert('new', 2, 1),
    alert('old', 40, 20),
    alert('offline', 10, null, { rule: 'silent', ...web }),
    alert('warned', 3, 2.5, { level: 'warn', ...web }),
  ]
  const rows = timelineRowsOf(alerts, 'rule', period)
  expect(rows.map(({ name, spans, total, longest }) => [name, spans.length, total / hour, longest / hour])).toEqual([
    ['Offline', 1, 10, 10],
    ['Level Bad', 3, 5.5, 4],
  ])
  expect(rows[1]?.spans.map((span) => [span.alert.id, span.tone])).toEqual([
    ['old', 'bad'],
    ['warned', 'warn'],
    ['new', 'bad'],
  ])
  expect(timelineRowsOf(alerts, 'agent', period).map(({ name, total }) => [name, total / hour])).toEqual([
    ['web', 10.5],
    ['mail', 5],
  ])
})

test('many agents have rows of their own up to 15; the others share one, and nothing is lost', () => {
  const alerts = Array.from({ length: 40 }, (_, i) =>
    alert(`${i}`, 20 - i / 10, 19 - i / 9, { subject: { kind: 'agent', name: `agent-${i}` } }),
  )
  const rows = timelineRowsOf(alerts, 'agent', period)
  expect(rows).toHaveLength(16)
  expect(rows.at(-1)?.name).toBe('25 others')
  expect(rows.reduce((sum, { spans }) => sum + spans.length, 0)).toBe(40)
  expect(timelineRowsOf([], 'agent', period)).toEqual([])
})

test('an alert about many agents is in the row of the workspace', () =>
  expect(
    timelineRowsOf([alert('a', 2, 1, { subject: { kind: 'workspace', name: 'north' } })], 'agent', period)[0]?.name,
  ).toBe('The workspace'))

test('the axis names whole hours of a day, and days of a longer period, as many as there is room for', () => {
  expect(axisMarksOf(period.start, end, 6).map(({ text }) => text)).toEqual([
    '20:00',
    '00:00',
    '04:00',
    '08:00',
    '12:00',
    '16:00',
  ])
  expect(axisMarksOf(end - 7 * 24 * hour, end, 7).map(({ text }) => text)).toEqual(
    [21, 22, 23, 24, 25, 26, 27].map((date) => `${date} Nov`),
  )
  expect(axisMarksOf(end - 30 * 24 * hour, end, 3)).toHaveLength(3)
})

test('the words of an alert say its rule, when it was open, and how long', () => {
  const [row] = timelineRowsOf(
    [alert('a', 2, 1.5, { rule: 'item', subject: { kind: 'agent', name: 'm', item: 'Job b' } })],
    'rule',
    period,
  )
  expect(spanText(row?.spans[0] as never, end)).toBe(
    'Bad health item: Job b, 27 Nov, 14:20 to 27 Nov, 14:50, 30\u00a0min',
  )
  const [open] = timelineRowsOf([alert('a', 2, null)], 'rule', period)
  expect(spanText(open?.spans[0] as never, end)).toBe('Level Bad, 27 Nov, 14:20, still open, 2\u00a0h')
})

test('left and right go from alert to alert of a row, up and down to the nearest one of another', () => {
  const rows = timelineRowsOf(
    [
      alert('a', 20, 10),
      alert('b', 5, 1),
      alert('c', 19, 18, { rule: 'silent' }),
      alert('d', 4, 3, { rule: 'silent' }),
    ],
    'rule',
    period,
  )
  const at = (row: number, span: number) => ({ row, span })
  expect(spanAfterKey(rows, null, 'ArrowRight')).toEqual(at(0, 0))
  expect(spanAfterKey(rows, null, 'ArrowLeft')).toEqual(at(0, 1))
  expect(spanAfterKey(rows, at(0, 0), 'ArrowRight')).toEqual(at(0, 1))
  expect(spanAfterKey(rows, at(0, 1), 'ArrowRight')).toEqual(at(0, 1))
  expect(spanAfterKey(rows, at(0, 1), 'ArrowDown')).toEqual(at(1, 1))
  expect(spanAfterKey(rows, at(1, 0), 'ArrowUp')).toEqual(at(0, 0))
  expect(spanAfterKey(rows, at(1, 0), 'ArrowDown')).toEqual(at(1, 0))
  expect([spanAfterKey(rows, at(1, 1), 'Home'), spanAfterKey(rows, at(1, 0), 'End')]).toEqual([at(1, 0), at(1, 1)])
  expect([
    spanAfterKey(rows, at(0, 0), 'a'),
    spanAfterKey(rows, null, 'Enter'),
    spanAfterKey([], null, 'ArrowLeft'),
  ]).toEqual([undefined, undefined, undefined])
})

test('a bar is at least three pixels wide and within its row; an open one has a point at the right edge', () => {
  const place = positionSpans({ start: 0, end: 100, width: 200 })
  expect(place({ from: 10, to: 20, tone: 'bad' })).toEqual({ left: 20, x: 20, width: 20 })
  expect(place({ from: 99.9, to: 100, tone: 'bad' })).toMatchObject({ x: 197, width: 3 })
  expect(place({ from: -50, to: 10, tone: 'bad' })).toEqual({ left: 0, x: 0, width: 20 })
  const bars = [
    { from: 10, to: 20, tone: 'bad' },
    { from: 50, to: null, tone: 'bad' },
    { from: 30, to: 40, tone: 'warn' },
  ] as const
  expect(timeBarsPath(bars, 'bad', place)).toBe('M20 4H40V18H20zM100 4H195L200 11L195 18H100z')
  expect(timeBarsPath(bars, 'warn', place)).toBe('M60 8H80V14H60z')
  expect(barNear(bars, 43, place)).toBe(bars[0])
  expect(barNear(bars, 52, place)).toBeUndefined()
  expect(barNear(bars, 70, place)).toBe(bars[2])
})
