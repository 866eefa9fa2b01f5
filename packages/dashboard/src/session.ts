import { type Query, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from './api.ts'
import { paths } from './paths.ts'

/** Ends the session and forgets everything that it showed. */
export function useSignOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await api.signOut().catch(() => undefined)
    await navigate({ to: paths.signIn })
    client.clear()
  }
}

/** After a sign-in, data of an earlier person is removed, and the page is loaded again for the new person. */
export function useArrive() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (to: string) => {
    client.removeQueries({ type: 'inactive' })
    // The service no longer knows a used link.
    const isUsed = ({ meta }: Query) => meta?.once === true
    await client.resetQueries({ predicate: (query) => !isUsed(query) })
    await navigate({ href: to, replace: true })
    client.removeQueries({ predicate: isUsed })
  }
}

/** An address within this page only: `next` comes from outside. */
export const inside = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith(paths.signIn) ? next : paths.home
