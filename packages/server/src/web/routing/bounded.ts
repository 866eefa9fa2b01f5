/** Limits the size of answers by leaving off rows of their lists, and says how many rows were left off. */

import type { Bytes } from './json.ts'

/** The maximum size of an answer that has a list, in bytes. */
export const maxListBytes = 1024 * 1024

/** The bytes that are kept free for the field `leftOff`. */
const roomForCounts = 256

/** The JSON of an answer that a function wrote in slices and within the limit itself. */
export class SlicedAnswer {
  readonly json: Bytes
  readonly leftOff: number
  constructor(json: Bytes, leftOff: number) {
    this.json = json
    this.leftOff = leftOff
  }
}

interface BoundedAnswer {
  json: string
  /** The number of rows of all lists that the answer leaves off. */
  leftOff: number
}

interface FittingRows {
  rows: readonly unknown[]
  /** The JSON of the kept rows. If the last rows of the list are kept, they are in reverse order. */
  kept: string[]
  bytes: number
}

/** The rows of a list that an answer keeps if not all fit. */
export type KeptRows = 'first' | 'last'

/**
 * The JSON of an answer. Above 1 MB it leaves off rows of its largest lists, at the end that `keep` does not name, and
 * an object gets the field `leftOff` with their number by list. If the answer is a page of `rows`, it says `more` for
 * them instead, as if the request had named a smaller limit.
 */
export function boundedAnswer(given: unknown, keep: KeptRows = 'first'): BoundedAnswer {
  if (Array.isArray(given)) {
    const part = partOf(given, keep)
    shrinkTo(part, maxListBytes - 2)
    return { json: listJson(part, keep), leftOff: leftOffIn(part) }
  }
  if (typeof given !== 'object' || given === null) return { json: JSON.stringify(given), leftOff: 0 }
  return boundedObject(given, keep)
}

function boundedObject(given: object, keep: KeptRows): BoundedAnswer {
  const lists = new Map<string, FittingRows>()
  const others = new Map<string, string>()
  for (const [key, value] of Object.entries(given)) {
    if (Array.isArray(value)) lists.set(key, partOf(value, keep))
    else if (value !== undefined) others.set(key, JSON.stringify(value))
  }
  const fixed = [...others].reduce((sum, [key, json]) => sum + bytesOf(key) + bytesOf(json) + 4, roomForCounts)
  for (const [key, part] of [...lists].sort(([, a], [, b]) => b.bytes - a.bytes)) {
    const otherBytes = [...lists].reduce(
      (sum, [other, { bytes }]) => sum + bytesOf(other) + 6 + (other === key ? 0 : bytes),
      0,
    )
    shrinkTo(part, maxListBytes - fixed - otherBytes)
  }
  const cut = [...lists].filter(([, part]) => leftOffIn(part) > 0)
  const isPaged = cut.some(([key]) => key === 'rows') && others.has('more')
  if (isPaged) others.set('more', 'true')
  const counts = isPaged ? cut.filter(([key]) => key !== 'rows') : cut
  if (counts.length > 0)
    others.set('leftOff', JSON.stringify(Object.fromEntries(counts.map(([key, part]) => [key, leftOffIn(part)]))))
  const fields = [
    ...[...others].map(([key, json]) => `${JSON.stringify(key)}:${json}`),
    ...[...lists].map(([key, part]) => `${JSON.stringify(key)}:${listJson(part, keep)}`),
  ]
  return { json: `{${fields.join(',')}}`, leftOff: counts.reduce((sum, [, part]) => sum + leftOffIn(part), 0) }
}

const leftOffIn = ({ rows, kept }: FittingRows): number => rows.length - kept.length

const listJson = ({ kept }: FittingRows, keep: KeptRows): string =>
  `[${(keep === 'last' ? kept.toReversed() : kept).join(',')}]`

/**
 * The rows from one end of a list, up to the maximum size of an answer. The other rows are not converted to JSON, so
 * that a long list takes little time.
 */
function partOf(rows: readonly unknown[], keep: KeptRows): FittingRows {
  const part: FittingRows = { rows, kept: [], bytes: 0 }
  for (const row of keep === 'last' ? rows.toReversed() : rows) {
    const json = JSON.stringify(row) ?? 'null'
    part.bytes += bytesOf(json) + 1
    part.kept.push(json)
    if (part.bytes > maxListBytes) break
  }
  return part
}

function shrinkTo(part: FittingRows, room: number): void {
  while (part.bytes > Math.max(0, room)) {
    const last = part.kept.pop()
    if (last === undefined) break
    part.bytes -= bytesOf(last) + 1
  }
}

const bytesOf = (json: string): number => Buffer.byteLength(json)
