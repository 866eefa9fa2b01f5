import fc from 'fast-check'
import { expect, test } from 'vitest'
import { activeLine, newestRuns, runSortKey } from './runs.ts'

const now = 1_790_000_000_000
const noon = now / 1000

test.each([
  ['a start in the past', noon - 60, now - 60_000],
  ['a start at most a day ahead', noon + 86_400, now + 86_400_000],
  ['a start more than a day ahead', noon + 86_401, now],
  ['a start of 0', 0, now],
  ['no start', undefined, now],
])('D10: a run with %s gets the right sort key', (_, started, place) =>
  expect(runSortKey({ started }, now)).toBe(place),
)

test('D10: the newest runs stay in the order in which they came, whatever that is', () => {
  const run = fc.record({ started: fc.option(fc.integer({ min: noon - 3, max: noon + 3 }), { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(run), fc.nat(10), (runs, max) => {
      const numbered = runs.map((one, index) => ({ ...one, index }))
      const expected = numbered
        .toSorted((a, b) => runSortKey(b, now) - runSortKey(a, now) || b.index - a.index)
        .slice(0, max)
        .toSorted((a, b) => a.index - b.index)
      expect(newestRuns(numbered, max, now)).toEqual(expected)
    }),
  )
})

const subjects = [{ title: 'backup' }, { title: 'more' }]

test.each([
  [{ kind: 'job', subjects, detail: 'usually 5 min' }, 'job: backup, usually 5 min'],
  [{ kind: 'job', subjects }, 'job: backup'],
  [{ kind: 'job', detail: 'usually 5 min' }, 'job: usually 5 min'],
  [{ kind: 'triage', subjects, detail: 'Reading the attachments' }, 'triage: Reading the attachments'],
  [{ kind: 'triage', subjects }, 'triage: backup'],
  [{ subjects, detail: 'Reading' }, 'Reading'],
  [{ kind: 'triage' }, 'triage'],
  [{}, ''],
])('%j is the line %j', (run, line) => {
  expect(activeLine(run)).toBe(line)
})
