import { call } from '../../data/api.ts'

/** The names of those of the agents that no longer exist. */
export async function goneAgents(slug: string, names: readonly string[]): Promise<string[]> {
  const known = new Set((await call('GET /w/:slug/fleet/names', { slug }, {})).names)
  return names.filter((name) => !known.has(name))
}
