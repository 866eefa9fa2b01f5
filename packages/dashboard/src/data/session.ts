import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { notify } from '../ui/notify.tsx'
import { ApiError, signOut } from './api.ts'

/**
 * Returns a function that asks the service to end the session, and removes all data that the person has seen. If the
 * service cannot be reached, the data is removed too, and the page says that the session did not end.
 */
export function useSignOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await signOut().catch(tellStillSignedIn)
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
