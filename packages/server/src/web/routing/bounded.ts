/** Bounds the size of lists in answers, whatever texts their rows have. */

/** The maximum size of the answer of a list, in bytes. */
export const maxListBytes = 1024 * 1024

/**
 * The JSON of an answer. Of a list that is larger than 1 MB only the first rows that fit are kept: the answer is then as
 * if the request had named a smaller limit.
 */
export function boundedJson(given: unknown): string {
  const json = JSON.stringify(given)
  // A unit of UTF-16 takes at most three bytes.
  if (json.length * 3 <= maxListBytes || Buffer.byteLength(json) <= maxListBytes) return json
  if (Array.isArray(given)) return `[${fittingJson(given, maxListBytes - 2).join(',')}]`
  if (!hasRows(given)) return json
  const { rows, ...rest } = given
  const room = maxListBytes - Buffer.byteLength(JSON.stringify({ ...rest, rows: [] })) - 16
  const kept = fittingJson(rows, room)
  const more = 'more' in given ? { more: true } : {}
  return JSON.stringify({ ...rest, ...more, rows: rows.slice(0, kept.length) })
}

const hasRows = (given: unknown): given is { rows: unknown[] } =>
  typeof given === 'object' && given !== null && 'rows' in given && Array.isArray(given.rows)

/** The JSON of the first rows that fit, with a comma behind each. */
function fittingJson(rows: readonly unknown[], bytes: number): string[] {
  const kept: string[] = []
  let left = bytes
  for (const row of rows) {
    const json = JSON.stringify(row)
    left -= Buffer.byteLength(json) + 1
    if (left < 0) break
    kept.push(json)
  }
  return kept
}
