import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstSorted, forEachInSlices, runWithoutPauses, type SlicedWork, sortInSlices } from './slices.ts'

/** Does the work, and counts how often it could be interrupted. */
function pausesOf<T>(work: SlicedWork<T>): { value: T; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = work.next()
    if (step.done) return { value: step.value, pauses }
  }
}

const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.nat()), { maxLength: 600 })
const byFirst = (a: readonly number[], b: readonly number[]) => (a[0] ?? 0) - (b[0] ?? 0)

test('sorting in slices gives what sorting at once gives, and equal rows keep their order', () => {
  fc.assert(
    fc.property(pairs, fc.integer({ min: 1, max: 30 }), (rows, max) => {
      const wanted = rows.toSorted(byFirst)
      expect(runWithoutPauses(sortInSlices(rows, byFirst))).toEqual(wanted)
      expect(runWithoutPauses(firstSorted(rows, max, byFirst))).toEqual(wanted.slice(0, max))
    }),
    { numRuns: 50 },
  )
})

const many = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 10_007)
type Act = (a: number, b?: number) => number
test.each<[what: string, work: (act: Act) => SlicedWork<unknown>]>([
  ['forEach', (act) => forEachInSlices(many, act)],
  ['sorted', (act) => sortInSlices(many, act)],
  ['firstSorted', (act) => firstSorted(many, 20, act)],
])('%s can be interrupted after a few hundred rows', (_what, work) => {
  let [since, most] = [0, 0]
  const act: Act = (a, b = 0) => {
    most = Math.max(most, ++since)
    return a - b
  }
  const steps = work(act)
  while (!steps.next().done) since = 0
  expect(most).toBeLessThan(1000)
  expect(pausesOf(work(act)).pauses).toBeGreaterThan(50)
})
