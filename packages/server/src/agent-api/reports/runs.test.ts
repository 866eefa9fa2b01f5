import type { Report } from '@svc/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodiesOf, modelsIn } from '../report-store/run-body.ts'
import { mergeRuns } from './runs.ts'

test('the models of a run are found in its JSON, whatever its texts and the names of models are', () => {
  const hostile = fc.constantFrom(
    '"models":{',
    '\\"models\\":{',
    '{"models":{"a":1}}',
    '}',
    '\\',
    '"',
    'models',
    'a}b":2,"c',
  )
  const name = fc.oneof(hostile, fc.string({ unit: 'grapheme' }))
  const run = fc.record(
    {
      id: name,
      kind: name,
      models: fc.dictionary(name, fc.double({ min: 0, max: 1e6, noNaN: true }), { noNullPrototype: true }),
      subjects: fc.array(fc.record({ title: name })),
      log: name,
    },
    { requiredKeys: ['id'] },
  )
  fc.assert(
    fc.property(run, fc.boolean(), (made, last) => {
      const { models, ...rest } = made
      const body = JSON.stringify(last ? { ...rest, ...(models && { models }) } : made)
      expect(modelsIn(body)).toEqual(JSON.parse(body).models)
    }),
    { numRuns: 2000 },
  )
})

const now = Date.UTC(2026, 9, 1)
/** The names of three models: two contain characters that JSON has to escape, one does not. */
const models = { 'a "quoted" one': 0.25, 'a back\\slash': 1.5, zz9: 0 }
const run = { id: 'r', started: now / 1000 - 60, models, status: 'done' }
const asRecord: Report = { protocol: 1, runs: [run] }
const asMap: Report = { protocol: 1, runs: [{ ...run, models: new Map(Object.entries(models)) }] }

test('models read as a Map are written and summed like any others', () => {
  expect(bodiesOf(asMap)).toEqual([JSON.stringify(run)])
  const merged = (report: Report) => mergeRuns(report, bodiesOf(report), new Map(), [], undefined, now)
  expect(merged(asMap)).toEqual(merged(asRecord))
  expect(merged(asMap).newRuns).toMatchObject([{ cost_micro: 1_750_000 }])
})

test('a run whose models change counts once, whether they were read as a Map or not', () => {
  const before = { ...run, models: { 'a "quoted" one': 1, gone: 2 } }
  const kept = new Map([
    [
      'r',
      { seq: 3, place: run.started * 1000, body: JSON.stringify(before), cost_micro: 3_000_000, output_tokens: null },
    ],
  ])
  const usage = (report: Report) => mergeRuns(report, bodiesOf(report), kept, [], undefined, now).usage
  expect(usage(asMap)).toEqual(usage(asRecord))
  expect(usage(asMap)).toContainEqual(expect.objectContaining({ model: 'gone', runs: -1, costMicro: -2_000_000 }))
})
