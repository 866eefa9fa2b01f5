/** Filters that a person typed for a command. */

import { Refused } from './request.ts'
import { line } from './show.ts'

/** Finds what a filter selects. If the filter is wrong, the refusal points at its wrong part. */
export const selectedBy = <T>(filter: string, find: (filter: string) => Promise<T>): Promise<T> =>
  find(filter).catch((error: unknown) => {
    throw pointedAt(filter, error)
  })

/**
 * Makes the refusal of a wrong filter: a sentence, the filter, and a mark below its wrong part. Any other error is
 * returned as it is.
 */
export function pointedAt(filter: string, error: unknown): unknown {
  if (!(error instanceof Error && 'place' in error && error.place)) return error
  const { at, length } = error.place as { at: number; length: number }
  // The marks are counted in characters, because the text may have some of two UTF-16 units.
  const before = [...line(filter.slice(0, at))].length
  const wrong = Math.max(1, [...filter.slice(at, at + length)].length)
  return new Refused(
    `${error.message}\n  ${line(filter)}\n  ${' '.repeat(before)}${'^'.repeat(wrong)}`,
    'filter_invalid',
  )
}
