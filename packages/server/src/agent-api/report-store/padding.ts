/**
 * SQLite writes only the pages of a row that have changed, as long as the size of the row stays the same; otherwise it
 * writes all pages of the row, and a report of 250 KB has 63. So the texts in a report's row that often grow or shrink
 * by a few characters are padded.
 */

/** Pads JSON with spaces at its end to a multiple of `step` characters. Whoever parses the JSON ignores the spaces. */
export const padded = (json: string, step: number): string => json.padEnd(Math.ceil(json.length / step) * step)
