import { call } from '../../data/api.ts'

/** Returns the names that no agent of the workspace has. */
export async function findGoneAgents(slug: string, names: readonly string[]): Promise<string[]> {
  const known = new Set((await call('GET /w/:slug/fleet/names', { slug }, {})).names)
  return names.filter((name) => !known.has(name))
}
