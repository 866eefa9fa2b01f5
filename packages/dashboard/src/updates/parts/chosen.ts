/**
 * The agents that were selected in the list, kept for the update form, which is on another page. There may be too many
 * names for the page's address.
 */
let chosen: { slug: string; names: readonly string[] } | undefined

/** Remembers the selected agents for the update form. */
export const keepChosenAgents = (slug: string, names: readonly string[]): void => {
  chosen = { slug, names }
}
/** The agents of the workspace that were selected for the update form. */
export const chosenAgents = (slug: string): readonly string[] => (chosen?.slug === slug ? chosen.names : [])
