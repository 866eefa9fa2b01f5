/**
 * Keeps the sizes of rows the same while their texts change a little. SQLite then writes only the changed pages of a
 * row; otherwise it clears all its pages and writes them elsewhere, and a report of 250 KB has 63 pages. Texts that
 * often change are padded. In a large row, the column `usage` is padded so that the whole row keeps its size.
 */

/** Pads JSON with spaces at its end to a multiple of `step` characters. A JSON parser ignores the spaces. */
export const paddedJson = (json: string, step: number): string => json.padEnd(Math.ceil(json.length / step) * step)

/** The number of characters from which a row is large. Smaller rows fit one page. */
const largeRow = 4096
/** The minimum length of a padded list. SQLite stores the length of a short text in one byte and of others in two. */
const minLength = 64

/**
 * Pads the JSON of a list so that its length and `others`, the number of characters in the other texts of its row, give
 * a rounded sum. In a small row the JSON is returned as it is.
 */
export function paddedIfLarge(json: string | null, others: number): string | null {
  if (others < largeRow) return json
  const text = json?.trimEnd() ?? '[]'
  return text.padEnd(roundedUp(others + Math.max(minLength, text.length)) - others)
}

/** Rounds a size up to a multiple of a step, which is between a 128th and a 64th of the size, and at least 64. */
function roundedUp(size: number): number {
  const step = Math.max(64, 2 ** (25 - Math.clz32(size)))
  return Math.ceil(size / step) * step
}
