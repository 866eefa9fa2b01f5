/** The tags of a row for which there is room. Tags are shown whole, and those that are left out are counted. */

/** The width of a tag without its text, in pixels: in a frame of its own, and as a word of a card. */
export const tagEdges = { framed: 20, word: 4 } as const
/** The space between two tags, in pixels. */
const gap = 4

/** The number of tags that fit into a width, with the words for the others beside them. */
export function fittingTags(
  tags: readonly string[],
  width: number,
  { measure, edges }: { measure: (text: string) => number; edges: number },
): number {
  const widths = tags.map((tag) => measure(tag) + edges)
  if (widths.reduce((sum, one) => sum + one, -gap) <= width) return tags.length
  let left = width
  for (const [i, one] of widths.entries()) {
    left -= one
    if (left < measure(moreText(tags, i + 1))) return i
  }
  return tags.length
}

/** The words for the tags after the first `shown`, such as `+2`. */
export const moreText = (tags: readonly string[], shown: number): string =>
  shown === 0 ? `${tags.length} tags` : `+${tags.length - shown}`
