/** The workspace that the page is about. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { workspaceQuery } from './queries.ts'

const route = getRouteApi('/signed-in/w/$slug')

/** Its name in the address. */
export const useSlug = (): string => route.useParams().slug

/** Its facts, among them the person's role: `admin` acts, `member` sees. */
export const useWorkspace = () => useSuspenseQuery(workspaceQuery(useSlug())).data
