import { type Query, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from './api.ts'
import { paths } from './paths.ts'

/**
 * Returns a function that asks the service to end the session, and removes all data that the person has seen, even if
 * the service cannot be reached.
 */
export function useSignOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await api.signOut().catch(() => undefined)
    await navigate({ to: paths.signIn })
    client.clear()
  }
}

/**
 * Returns a function to call after a sign-in. It removes data of an earlier person, and loads the page again for the
 * new one.
 */
export function useArrive() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (to: string) => {
    client.removeQueries({ type: 'inactive' })
    // Used links are not loaded again, because the service no longer knows them.
    const isUsed = ({ meta }: Query) => meta?.once === true
    await client.resetQueries({ predicate: (query) => !isUsed(query) })
    await navigate({ href: to, replace: true })
    client.removeQueries({ predicate: isUsed })
  }
}

/**
 * Returns `next` if it is an address of this page other than the sign-in, otherwise the home page. `next` comes from
 * the address in the browser and could lead to another site.
 */
export const inside = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith(paths.signIn) ? next : paths.home
