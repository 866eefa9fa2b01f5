/** The numbers of rows that the service left off its answers, which would be larger than 1 MB otherwise. */
import { replaceEqualDeep } from '@tanstack/react-query'

const numbers = new WeakMap<object, number>()

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Notes the number of rows that an answer leaves off. */
export function noteLeftOff<T>(answer: T, rows: number): T {
  if (isObject(answer)) numbers.set(answer, rows)
  return answer
}

/** The number of rows that an answer leaves off. */
export const leftOffIn = (answer: object | undefined): number => (answer && numbers.get(answer)) ?? 0

/** Makes a new answer share the parts of the earlier one that did not change. Its number of rows left off is kept. */
export const withSharedParts = (before: unknown, answer: unknown): unknown =>
  isObject(answer) ? noteLeftOff(replaceEqualDeep(before, answer) as unknown, leftOffIn(answer)) : answer
