import { call } from '../../data/api.ts'

/** Returns those of the names whose agents no longer exist. */
export async function findGoneAgents(slug: string, names: readonly string[]): Promise<string[]> {
  const known = new Set((await call('GET /w/:slug/fleet/names', { slug }, {})).names)
  return names.filter((name) => !known.has(name))
}
