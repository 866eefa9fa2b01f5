/**
 * Sliced work: long work on many rows that can be interrupted, so that other work runs. The work marks with `yield`
 * where it may be interrupted. The function that runs it decides about pauses.
 */

import { setImmediate } from 'node:timers/promises'

/**
 * Work that may be interrupted at each `yield`. FairTurns runs it in slices of time; `runWithoutPauses` runs it without
 * a pause.
 */
export type SlicedWork<T> = Generator<undefined, T>

/** The number of rows between two points at which work may be interrupted. */
const rowsBetween = 32

/** Does sliced work without interrupting it. */
export function runWithoutPauses<T>(work: SlicedWork<T>): T {
  while (true) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** The number of steps of sliced work that `runWithPauses` does in one turn of the event loop. */
const stepsAtOnce = 16

/** Does sliced work, with pauses in which other work runs. An open transaction stays open during the pauses. */
export async function runWithPauses<T>(work: SlicedWork<T>): Promise<T> {
  for (let steps = 1; ; steps++) {
    const step = work.next()
    if (step.done) return step.value
    if (steps % stepsAtOnce === 0) await setImmediate()
  }
}

/** Calls `act` with each row. */
export function* forEachInSlices<T>(rows: Iterable<T>, act: (row: T) => void): SlicedWork<void> {
  let count = 0
  for (const row of rows) {
    act(row)
    if (++count % rowsBetween === 0) yield
  }
}

/** The number of rows that are sorted without a pause. */
const sortedAtOnce = 128

/** Sorts rows; equal ones keep their order. */
export function* sortInSlices<T>(rows: readonly T[], compare: (a: T, b: T) => number): SlicedWork<T[]> {
  let runs: T[][] = []
  for (let i = 0; i < rows.length; i += sortedAtOnce) {
    runs.push(rows.slice(i, i + sortedAtOnce).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergedOf(runs[i] ?? [], runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergedOf<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): SlicedWork<T[]> {
  const all: T[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    all.push((compare(a[i] as T, b[j] as T) <= 0 ? a[i++] : b[j++]) as T)
    if (all.length % sortedAtOnce === 0) yield
  }
  while (i < a.length) all.push(a[i++] as T)
  while (j < b.length) all.push(b[j++] as T)
  return all
}

/** The first `max` rows of the result that `sortInSlices` would have. It compares most rows only once. */
export function* firstSorted<T>(rows: Iterable<T>, max: number, compare: (a: T, b: T) => number): SlicedWork<T[]> {
  const kept: T[] = []
  yield* forEachInSlices(rows, (row) => {
    if (kept.length === max && compare(row, kept[max - 1] as T) >= 0) return
    let at = kept.length
    while (at > 0 && compare(row, kept[at - 1] as T) < 0) at--
    kept.splice(at, 0, row)
    if (kept.length > max) kept.pop()
  })
  return kept
}
