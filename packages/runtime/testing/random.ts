/**
 * The seed of the random numbers in tests: `SVC_TEST_SEED`, by default from the clock. With the same seed a run can be
 * repeated.
 */
export const seed: number = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1e6)

/** Creates a generator of random numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
export function randomOf(start: number): () => number {
  let s = start
  return () => {
    s = (s + 0x6d2b79f5) | 0
    let t = Math.imul(s ^ (s >>> 15), 1 | s)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
