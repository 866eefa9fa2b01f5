/** Sorts and cuts lists. */

/** Compares names as people do: digits as numbers, so that `agent-2` comes before `agent-10`. */
export const byText = new Intl.Collator('en', { numeric: true }).compare

/** A list in pieces of at most `size` items. */
export const piecesOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
