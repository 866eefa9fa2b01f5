import { expect, test } from 'vitest'
import { sampleReport } from '../testing/sample.ts'
import { fitReport } from './fit.ts'
import { limits } from './limits.ts'
import type { Report } from './report.ts'

const size = (report: Report) => new TextEncoder().encode(JSON.stringify(report)).length
const runs = (count: number, status: string) =>
  Array.from({ length: count }, (_, i) => ({ id: `r${i}`, started: 1000 + i, status }))
const panel = { type: 'text', title: 't', lines: Array.from({ length: 200 }, () => 'x'.repeat(500)) } as const
const always = { acks: [{ id: 'a', ok: true }], applied: { version: '1.0.0' }, runtime: { version: 'dev' } }

test('D19: a report that fits stays as it is', () => expect(fitReport(sampleReport)).toBe(sampleReport))

test('D19: panels go first', () => {
  const fitting = fitReport({ ...sampleReport, panels: [panel, panel, panel] })
  expect(fitting.panels).toBeUndefined()
  expect(fitting.runs).toEqual(sampleReport.runs)
})

test('D19: then the older runs, the newest stay', () => {
  const fitting = fitReport({ ...sampleReport, runs: runs(500, 'x'.repeat(20)), ...always }, 10_000)
  expect(size(fitting)).toBeLessThanOrEqual(10_000)
  expect(fitting.runs?.length).toBeGreaterThan(30)
  expect(fitting.runs?.at(-1)?.id).toBe('r499')
})

test('D19: then details; acks, state, applied and runtime never', () => {
  const health = Array.from({ length: 50 }, (_, i) => ({ name: `n${i}`, detail: '👍'.repeat(300) }))
  const fitting = fitReport({ ...sampleReport, ...always, health }, 4000)
  expect(size(fitting)).toBeLessThanOrEqual(4000)
  expect(fitting.health?.[49]).toEqual({ name: 'n49' })
  expect(fitReport({ ...sampleReport, ...always, health }, 1)).toEqual({
    protocol: 1,
    agent: sampleReport.agent,
    state: sampleReport.state,
    controls: sampleReport.controls,
    runs: [],
    ...always,
  })
})

test('D19: the default leaves room below the limit of the service', () =>
  expect(limits.reporterBytes).toBeLessThan(limits.reportBytes))
