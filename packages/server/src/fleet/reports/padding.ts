/**
 * SQLite writes only the pages of a row that have changed, as long as the size of the row stays the same. Otherwise it
 * clears all pages of the row and writes them elsewhere, and a report of 250 KB has 63 pages. So texts that often grow
 * or shrink by a few characters are padded, and the daily sums of a row of several pages get what the row needs.
 */

/** Pads JSON with spaces at its end to a multiple of `step` characters. A JSON parser ignores the spaces. */
export const paddedJson = (json: string, step: number): string => json.padEnd(Math.ceil(json.length / step) * step)

/** The number of characters from which a row is large. Smaller rows fit one page. */
const largeRow = 4096
/** SQLite writes the length of a shorter text in one byte and of a longer one in two, which changes the row's size. */
const minLength = 64

/**
 * Pads the JSON of a list so that its length and `others`, the number of characters in the other texts of its row, give
 * a size that similar rows have too; the spaces of an earlier padding are removed first. The row grows by at most a
 * 64th, or by 127 characters if that is more. In a small row the JSON is returned as it is.
 */
export function paddedIfLarge(json: string | null, others: number): string | null {
  if (others < largeRow) return json
  const text = json?.trimEnd() ?? '[]'
  return text.padEnd(roundedUp(others + Math.max(minLength, text.length)) - others)
}

/** The step is between a 128th and a 64th of the size, and at least 64. */
function roundedUp(size: number): number {
  const step = Math.max(64, 2 ** (25 - Math.clz32(size)))
  return Math.ceil(size / step) * step
}
