import { join } from 'node:path'
import { defaultValues, examineFolder } from '@svc/blueprint'
import { readReport } from '@svc/protocol'
import { expect, test } from 'vitest'
import {
  costOfToday,
  doingAt,
  historyBefore,
  maxRuns,
  modelAt,
  models,
  runAfter,
  stepsOf,
} from './coder-simulated/work.mts'

const day = 86_400
/** 14:00 UTC on a Wednesday. */
const now = Date.parse('2026-11-18T14:00:00Z') / 1000
const history = historyBefore(now)

test('the simulated agent is a blueprint in which "svc check" finds nothing, not even a hint', () => {
  const { findings, hints, manifest } = examineFolder(join(import.meta.dirname, 'coder-simulated'))
  expect({ findings, hints, name: manifest?.name }).toEqual({ findings: [], hints: [], name: 'coder-simulated' })
  expect(manifest && defaultValues(manifest)).toEqual({ budget: 10, step_seconds: 5 })
})

test('its past has runs on most of 30 days, today among them, all before now and newest first', () => {
  const days = new Set(history.map(({ started }) => Math.floor((now - started) / day)))
  expect(days.size).toBeGreaterThan(20)
  expect(Math.max(...days)).toBeLessThan(30)
  expect(costOfToday(history, now)).toBeGreaterThan(0)
  expect(history.every((run, i) => run.started < (history[i - 1]?.started ?? now))).toBe(true)
  expect(history.every(({ ended = Infinity }) => ended < now)).toBe(true)
  expect(history.length).toBeLessThan(maxRuns)
  expect(new Set(history.map(({ status }) => status))).toEqual(new Set(['done', 'failed']))
})

test('the past is the same whenever it is asked, so that runs keep their costs', () => {
  const later = historyBefore(now + day)
  const shared = later.filter(({ id }) => history.some((run) => run.id === id))
  expect(shared.length).toBeGreaterThan(history.length / 2)
  for (const run of shared) expect(history).toContainEqual(run)
})

test('the cost of a run is that of its two models, and never falls while it runs', () => {
  let before = -1
  for (let step = 0; step <= stepsOf(now); step++) {
    const { cost_usd, models: costs } = runAfter(now, step)
    expect(Object.keys(costs)).toEqual(Object.values(models))
    expect(Object.values(costs).reduce((a, b) => a + b)).toBeCloseTo(cost_usd, 9)
    expect(cost_usd).toBeGreaterThanOrEqual(before)
    before = cost_usd
  }
  expect(before).toBeGreaterThan(0)
})

test('no day costs as much as the budget, so that the agent is working when the demo starts', () => {
  for (let date = 0; date < 200; date++)
    expect(costOfToday(historyBefore(now + date * day), now + date * day)).toBeLessThan(9)
})

test('the service keeps its whole report, and every title, model and detail says that it is simulated', () => {
  const runs = [runAfter(now, 5), ...history]
  const body = Buffer.from(JSON.stringify({ protocol: 1, runs, active: [{ model: modelAt(5), detail: doingAt(5) }] }))
  const read = readReport(body, now * 1000)
  expect(read.ok && read.json).toBe(body.toString())
  const texts = [modelAt(1), modelAt(2), ...runs.flatMap(({ subjects }) => subjects.map(({ title }) => title))]
  for (let step = 0; step < 90; step++) texts.push(doingAt(step))
  expect(texts.filter((text) => !/simulated/i.test(text))).toEqual([])
})
