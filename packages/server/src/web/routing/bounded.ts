/** Bounds the size of answers, whatever texts and however many rows they have, and says how many rows were left off. */

/** The maximum size of an answer that has a list, in bytes. */
export const maxListBytes = 1024 * 1024

/** The room for the field `leftOff`, and for `more` in place of false. */
const roomForCounts = 256

interface BoundedAnswer {
  json: string
  /** The number of rows of all lists that the answer leaves off. */
  leftOff: number
}

/** The JSON of the first rows of a list that fit into the largest answer. */
interface FittingRows {
  rows: readonly unknown[]
  kept: string[]
  bytes: number
}

/**
 * The JSON of an answer. If it is larger than 1 MB, the last rows of its largest list are left off, and the field
 * `leftOff` of an object gives their number under the name of the list. A list that is read in pages (`more`) loses
 * nothing: the answer is as if the request had named a smaller limit.
 */
export function boundedAnswer(given: unknown): BoundedAnswer {
  if (Array.isArray(given)) {
    const part = partOf(given)
    shrink(part, maxListBytes - 2)
    return { json: `[${part.kept.join(',')}]`, leftOff: leftOffIn(part) }
  }
  if (typeof given !== 'object' || given === null) return { json: JSON.stringify(given), leftOff: 0 }
  return boundedObject(given)
}

function boundedObject(given: object): BoundedAnswer {
  const lists = new Map<string, FittingRows>()
  const others = new Map<string, string>()
  for (const [key, value] of Object.entries(given)) {
    if (Array.isArray(value)) lists.set(key, partOf(value))
    else if (value !== undefined) others.set(key, JSON.stringify(value))
  }
  const fixed = [...others].reduce((sum, [key, json]) => sum + bytesOf(key) + bytesOf(json) + 4, roomForCounts)
  for (const [key, part] of [...lists].sort(([, a], [, b]) => b.bytes - a.bytes)) {
    const otherBytes = [...lists].reduce(
      (sum, [other, { bytes }]) => sum + bytesOf(other) + 6 + (other === key ? 0 : bytes),
      0,
    )
    shrink(part, maxListBytes - fixed - otherBytes)
  }
  const cut = [...lists].filter(([, part]) => leftOffIn(part) > 0)
  const isPaged = cut.some(([key]) => key === 'rows') && others.has('more')
  if (isPaged) others.set('more', 'true')
  const counts = isPaged ? cut.filter(([key]) => key !== 'rows') : cut
  if (counts.length > 0)
    others.set('leftOff', JSON.stringify(Object.fromEntries(counts.map(([key, part]) => [key, leftOffIn(part)]))))
  const fields = [
    ...[...others].map(([key, json]) => `${JSON.stringify(key)}:${json}`),
    ...[...lists].map(([key, { kept }]) => `${JSON.stringify(key)}:[${kept.join(',')}]`),
  ]
  return { json: `{${fields.join(',')}}`, leftOff: counts.reduce((sum, [, part]) => sum + leftOffIn(part), 0) }
}

const leftOffIn = ({ rows, kept }: FittingRows): number => rows.length - kept.length

/**
 * The first rows that fit into the largest answer. No more of a list is written, so that a long one takes no long time.
 */
function partOf(rows: readonly unknown[]): FittingRows {
  const part: FittingRows = { rows, kept: [], bytes: 0 }
  for (const row of rows) {
    const json = JSON.stringify(row) ?? 'null'
    part.bytes += bytesOf(json) + 1
    part.kept.push(json)
    if (part.bytes > maxListBytes) break
  }
  return part
}

function shrink(part: FittingRows, room: number): void {
  while (part.bytes > Math.max(0, room)) {
    const last = part.kept.pop()
    if (last === undefined) break
    part.bytes -= bytesOf(last) + 1
  }
}

const bytesOf = (json: string): number => Buffer.byteLength(json)
