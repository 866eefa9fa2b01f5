/** Filters that a person typed for a command. */

import { RefusedError } from './request.ts'
import { oneSafeLine } from './show.ts'

/** Finds what a filter selects. If the filter is wrong, the refusal points at its wrong part. */
export const findByFilter = <T>(filter: string, find: (filter: string) => Promise<T>): Promise<T> =>
  find(filter).catch((error: unknown) => {
    throw pointedAt(filter, error)
  })

/** The terms that exclude no agent, of the filter that selected what a command returned. JSON does not have them. */
const idleTerms = new WeakMap<object, readonly string[]>()

/** Notes the terms of a filter that exclude no agent beside what a command returns. */
export function withIdleTerms<T extends object>(value: T, idle: readonly string[]): T {
  idleTerms.set(value, idle)
  return value
}

/** The lines that say which terms exclude no agent, each with a line break in front. */
export const idleLines = (value: object): string =>
  (idleTerms.get(value) ?? []).map((term) => `\n${oneSafeLine(term)} excludes no agent.`).join('')

/**
 * Makes the refusal of a wrong filter: a sentence, the filter, and a mark below its wrong part. Any other error is
 * returned as it is.
 */
function pointedAt(filter: string, error: unknown): unknown {
  if (!(error instanceof Error && 'place' in error && error.place)) return error
  const { at, length } = error.place as { at: number; length: number }
  // The marks are counted in characters, because the text may have some of two UTF-16 units.
  const before = [...oneSafeLine(filter.slice(0, at))].length
  const wrong = Math.max(1, [...filter.slice(at, at + length)].length)
  return new RefusedError(
    `${error.message}\n  ${oneSafeLine(filter)}\n  ${' '.repeat(before)}${'^'.repeat(wrong)}`,
    'filter_invalid',
  )
}
