/**
 * Shortens values that people sent, such as settings, for the rows of a list. A list has many rows, and each row may
 * hold a text of 2,000 characters for each of 100 settings.
 */
import { shortened } from '@svc/protocol'
import { firstThatFit, jsonSize } from './fitting.ts'

/** The maximum bytes of the values in one row of a list. Larger values are shortened to this size. */
const rowBytes = 4096
const textMax = 60

/** The values as a list shows them; `short` is set if they were shortened. */
export function shortValues<T extends object>(values: T): { values: T; short?: true } {
  if (jsonSize(values) <= rowBytes) return { values }
  const cutTexts = Object.entries(values).map(([key, value]) => [key, shortValue(value)] as const)
  const kept = firstThatFit(cutTexts, (entry) => jsonSize(entry), rowBytes)
  return { values: Object.fromEntries(kept) as T, short: true }
}

const shortValue = (value: unknown): unknown => {
  if (typeof value === 'string') return shortened(value, textMax)
  if (typeof value !== 'object' || value === null || jsonSize(value) <= rowBytes / 4) return value
  return Array.isArray(value) ? firstThatFit(value, jsonSize, rowBytes / 4) : shortenedTo(value, rowBytes / 4)
}

const shortenedTo = (values: object, bytes: number): object =>
  Object.fromEntries(
    firstThatFit(
      Object.entries(values).map(([key, value]) => [key, typeof value === 'string' ? shortValue(value) : value]),
      jsonSize,
      bytes,
    ),
  )
