import type { EntryInfo } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { read } from './queries.ts'

/** The sign-in provider of the service; null if there is none. */
export const useProvider = (): EntryInfo['oidc'] => useQuery(read('GET /door')).data?.oidc ?? null
