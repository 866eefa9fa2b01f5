/**
 * The agents that were selected in the list for the update form, which is another page. They are too many for an
 * address.
 */
let chosen: { slug: string; names: readonly string[] } | undefined

export const handOver = (slug: string, names: readonly string[]): void => {
  chosen = { slug, names }
}
export const chosenIn = (slug: string): readonly string[] => (chosen?.slug === slug ? chosen.names : [])
