/** Remembers how many rows the service left off each answer so that it is not larger than 1 MB. */
import { replaceEqualDeep } from '@tanstack/react-query'

const numbers = new WeakMap<object, number>()

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Remembers the number of rows that an answer leaves off, and returns the answer. */
export function noteLeftOff<T>(answer: T, rows: number): T {
  if (isObject(answer)) numbers.set(answer, rows)
  return answer
}

/** The number of rows that an answer leaves off. */
export const leftOffIn = (answer: object | undefined): number => (answer && numbers.get(answer)) ?? 0

/** Makes a new answer share its unchanged parts with the earlier answer, and keeps its number of rows left off. */
export const withSharedParts = (before: unknown, answer: unknown): unknown =>
  isObject(answer) ? noteLeftOff(replaceEqualDeep(before, answer) as unknown, leftOffIn(answer)) : answer
