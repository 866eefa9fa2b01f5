import type { AgentPage } from '@svc/api'
import { expect, test } from 'vitest'
import { runBarsPath } from '../../../ui/charts/RunBars.tsx'
import { jobBarsOf, jobCountWords, jobsLeftOut, otherJobsItem } from '../Jobs.tsx'
import { listedHealth, listedPanels } from './arrange.ts'
import { jobPanel, shownJobsOf } from './jobs.ts'

const columns = ['Job', 'Last', 'Took', 'Next']
const panel = (rows: string[][]) => ({ type: 'table', title: 'Jobs', columns, rows })
const report = (more: object) => more as AgentPage['report']
const host = report({
  health: [
    { name: 'Job backup', level: 'bad', detail: 'failed (exit 1) 03:12' },
    { name: 'Job poll', level: 'ok', detail: 'ok' },
    { name: 'Job gone', level: 'ok', detail: 'not in the table' },
    { name: 'Jobs', level: 'ok', detail: '1 more, all well' },
    { name: 'Crontab', level: 'warn', detail: 'line 3' },
  ],
  panels: [
    { type: 'text', title: 'Jobs', lines: [] },
    panel([
      ['backup', 'failed (exit 1) 03:12', '4 min', '26 Nov 03:00'],
      ['poll', 'ok 09:00', '1 s', '09:05'],
      ['rare', 'ok', '–', '–'],
    ]),
  ],
})

test('the table of jobs has each with its level, the worst first', () => {
  expect(shownJobsOf(host).map(({ name, level, next }) => [name, level, next])).toEqual([
    ['backup', 'bad', '26 Nov 03:00'],
    ['poll', 'ok', '09:05'],
    ['rare', 'ok', '–'],
  ])
})

test('a job without an item has no level where the rest is not well, keeps its place, and the rest is told', () => {
  const rest = { name: 'Jobs', level: 'bad', detail: '2 more, 1 needs you' }
  const ill = report({ ...host, health: [{ name: 'Job backup', level: 'bad' }, rest] })
  expect(shownJobsOf(ill).map(({ name, level }) => [name, level])).toEqual([
    ['backup', 'bad'],
    ['poll', undefined],
    ['rare', undefined],
  ])
  expect([otherJobsItem(ill), otherJobsItem(host)]).toEqual([rest, undefined])
})

test.each([
  [1, '1 job'],
  [199, '199 jobs'],
  [200, 'the first 200 jobs'],
])('%i jobs are counted as they are', (shown, words) => {
  expect(jobCountWords(shown)).toBe(words)
})

test.each([
  [199, '178 more, all well', 0],
  [200, '178 more, all well', 0],
  [200, '278 more, 3 need you', 100],
  [200, 'all well', undefined],
])('of the jobs of a report, a table of %i beside "%s" leaves out %s', (shown, detail, left) => {
  const items = Array.from({ length: 22 }, (_, at) => ({ name: `Job ${at}`, level: 'ok', detail: 'ok' }))
  const health = [...items, { name: 'Jobs', level: 'ok', detail }]
  expect(jobsLeftOut(report({ health }), shown)).toBe(left)
})

test('health and panels list only what is no job', () => {
  const page = { report: host, bindings: [] }
  expect(listedHealth(page).map(({ name }) => name)).toEqual(['Job gone', 'Crontab'])
  expect(listedPanels(host)).toEqual([{ type: 'text', title: 'Jobs', lines: [] }])
})

test.each<[string, object]>([
  ['no report', {}],
  ['a panel with other headings', { panels: [{ ...panel([['a']]), columns: ['Job', 'Next'] }] }],
  ['a list', { panels: [{ type: 'list', title: 'Jobs', items: [] }] }],
])('an agent with %s is none of a machine', (_what, more) => {
  expect([jobPanel(report(more)), shownJobsOf(report(more))]).toEqual([undefined, []])
})

const runs = (...statuses: (string | null)[]) =>
  statuses.map((status, at) => ({ id: `${at}`, started: at, seconds: at * 10, status }))

test('the bars say how many failed, and each tone has another shape', () => {
  const { bars, title } = jobBarsOf({ runs: runs('ok', 'failed', 'timeout', 'running', 'skipped', 'strange', null) })
  expect(title).toBe('7 runs, 2 failed')
  expect(bars.map(({ tone }) => tone)).toEqual(['good', 'no', 'no', 'waiting', 'lost', 'plain', 'plain'])
  expect(jobBarsOf({ runs: runs('ok') }).title).toBe('1 run, none failed')
})

test('a bar is as high as its run was long, and a failed one has a mark below', () => {
  const bars = [
    { value: 0, tone: 'good' },
    { value: 3_456_000, tone: 'good' },
    { value: 1_728_000, tone: 'no' },
    { value: null, tone: 'waiting' },
  ] as const
  expect(runBarsPath(bars, 'good', 3_456_000)).toBe('M0 19h4v3h-4zM5 0h4v22h-4z')
  expect(runBarsPath(bars, 'no', 3_456_000)).toBe('M10 11h4v11h-4zM10 23h4v3h-4z')
  expect(runBarsPath(bars, 'waiting', 3_456_000)).toBe('M15.5 0.5h3v21h-3z')
  expect(runBarsPath([{ value: null, tone: 'plain' }], 'plain', 0)).toBe('M0 19h4v3h-4z')
})
