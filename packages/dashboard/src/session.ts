import { type Query, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ApiError, api } from './api.ts'
import { notify } from './notify.tsx'
import { paths } from './paths.ts'

/**
 * Returns a function that asks the service to end the session, and removes all data that the person has seen. If the
 * service cannot be reached, the data is removed too, and the page says that the session did not end.
 */
export function useSignOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await api.signOut().catch(tellStillSignedIn)
    await navigate({ to: paths.signIn })
    client.clear()
  }
}

function tellStillSignedIn(error: Error): void {
  if (error instanceof ApiError && error.status === 401) return
  notify({
    color: 'red',
    title: 'Your session did not end',
    message: `${error.message} Sign in and out again, or let your browser forget the cookies of this page.`,
    autoClose: false,
  })
}

/**
 * Returns a function to call after a sign-in. It removes the data of a person who was signed in before, and loads the
 * data of the page again for the new person.
 */
export function useArrive() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (to: string) => {
    client.removeQueries({ type: 'inactive' })
    // The data of a used one-time link is not loaded again, because the service no longer knows the link.
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
export const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith(paths.signIn) ? next : paths.home
