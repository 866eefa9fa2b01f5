/** The workspace of the current page. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { workspaceQuery } from './queries.ts'

const route = getRouteApi('/signed-in/w/$slug')

/** The workspace's name in the address. */
export const useSlug = (): string => route.useParams().slug

/** The workspace's facts, among them the person's role: `admin` acts, `member` views. */
export const useWorkspace = () => useSuspenseQuery(workspaceQuery(useSlug())).data
