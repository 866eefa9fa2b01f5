/** Names for agents that are about to be made. */
import { freeNames, isAgentName, trimInvisible } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { wrongWithName } from '../dialogs/names.ts'

/** The names of the workspace's agents that begin with `name`; undefined until they are loaded. */
export function useTakenNames(slug: string, name: string): ReadonlySet<string> | undefined {
  const q = `name:${name}*`
  const { data } = useQuery({ ...read('GET /w/:slug/fleet/names', { slug }, { q }), enabled: isAgentName(name) })
  return data && new Set(data.names)
}

/** Returns the first free name made from `base`; `base` itself while the taken names are not known. */
export const freeName = (base: string, taken: ReadonlySet<string> = new Set()): string =>
  freeNames(base, taken, 1)[0] ?? base

/** The reason why a typed name cannot be used, with a free name if it is taken; null if it can be used. */
export function wrongWithNewName(typed: string, taken: ReadonlySet<string> | undefined): string | null {
  const wrong = wrongWithName(typed)
  if (wrong !== null) return wrong
  const name = trimInvisible(typed)
  return taken?.has(name) ? `The workspace already has an agent ${name}. ${freeName(name, taken)} is free.` : null
}
