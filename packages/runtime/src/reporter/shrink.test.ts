import { limits, type Report } from '@svc/protocol'
import { expect, test } from 'vitest'
import { reportBytes, shrinkReport } from './shrink.ts'

const now = 1_790_000_000_000
const long = 'x'.repeat(290)
const whole: Report = {
  protocol: 1,
  state: { level: 'ok', label: 'Working', detail: long },
  health: Array.from({ length: 50 }, (_, i) => ({ name: `h${i}`, level: 'ok' as const, detail: long })),
  gauges: Array.from({ length: 50 }, (_, i) => ({ name: `g${i}`, used: i, detail: long })),
  runs: Array.from({ length: 500 }, (_, i) => ({ id: `r${i}`, started: i, subjects: [{ title: long }] })),
  panels: Array.from({ length: 3 }, () => ({
    type: 'text' as const,
    title: 't',
    lines: Array.from({ length: 200 }, () => long),
  })),
  acks: [{ id: '1', ok: true, message: long }],
  runtime: { version: '1.0.0' },
}

test('a report that fits is sent unchanged', () => {
  expect(shrinkReport(whole, now, reportBytes(whole))).toBe(whole)
})

test('panels are dropped first', () => {
  const { panels: _, ...rest } = whole
  expect(shrinkReport(whole, now, reportBytes(rest))).toEqual(rest)
})

test('old runs are dropped next', () => {
  const small = shrinkReport(whole, now, 100_000)
  expect(small.runs?.at(-1)?.id).toBe('r499')
  expect(small.runs?.length).toBeLessThan(500)
  expect(small.health).toEqual(whole.health)
})

test('a run without a start is among the newest (D10)', () => {
  const withOneNew = { ...whole, runs: [{ id: 'new' }, ...(whole.runs ?? [])] }
  expect(shrinkReport(withOneNew, now, 100_000).runs?.[0]).toEqual({ id: 'new' })
})

test('details are dropped last; state, acks and runtime stay whatever the limit', () => {
  expect(shrinkReport(whole, now, 5000).health?.[0]).toEqual({ name: 'h0', level: 'ok' })
  expect(shrinkReport(whole, now, 1)).toMatchObject({ state: whole.state, acks: whole.acks, runtime: whole.runtime })
})

test('the limit is below the maximum that the service accepts', () => {
  expect(reportBytes(shrinkReport(whole, now))).toBeLessThanOrEqual(limits.reporterBytes)
  expect(limits.reporterBytes).toBeLessThan(limits.reportBytes)
})
