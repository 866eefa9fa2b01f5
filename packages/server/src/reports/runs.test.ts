import fc from 'fast-check'
import { expect, test } from 'vitest'
import { modelsIn } from './runs.ts'

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
