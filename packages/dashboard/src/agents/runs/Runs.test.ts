import type { Run } from '@svc/protocol'
import { expect, test } from 'vitest'
import { runPicturesOf } from './Runs.tsx'

const run = (seconds: number | undefined, more: Partial<Run> = {}): Run => ({
  ...{ id: 'r', status: 'ok', started: 1000 },
  ...(seconds !== undefined && { ended: 1000 + seconds }),
  ...more,
})

test('runs with lengths and costs have two pictures, the oldest on the left', () => {
  const { length, cost } = runPicturesOf([
    run(undefined, { status: 'running' }),
    run(90, { cost_usd: 0.5 }),
    run(60, { status: 'failed', cost_usd: 0.25 }),
    run(30, { cost_usd: 0.1 }),
  ])
  expect(length?.bars.map(({ value, tone }) => [value, tone])).toEqual([
    [30, 'good'],
    [60, 'no'],
    [90, 'good'],
    [null, 'waiting'],
  ])
  expect([length?.title, cost?.title]).toEqual([
    '4 runs, 1 failed. The longest took 1\u00a0min\u00a030\u00a0s',
    '4 runs, 1 failed. The most expensive cost $0.50',
  ])
})

test('a run of 40 days is named in days, and the others keep their bars', () => {
  const { length } = runPicturesOf([run(40 * 86_400), run(60), run(30)])
  expect(length?.title).toBe('3 runs, none failed. The longest took 40\u00a0d')
  expect(length?.bars.map(({ value }) => value)).toEqual([30, 60, 3_456_000])
})

test.each<[string, Run[]]>([
  ['no runs', []],
  ['two runs', [run(1), run(2)]],
  ['runs that took no time', [run(0), run(0), run(0)]],
  ['runs without an end', [run(undefined), run(undefined), run(undefined)]],
])('%s have no picture', (_what, runs) => {
  expect(runPicturesOf(runs)).toEqual({ length: null, cost: null })
})
