/** The workspace of the current page. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { workspaceQuery } from './queries.ts'

const route = getRouteApi('/signed-in/w/$slug')

/** The short name of the workspace in the page's address. */
export const useSlug = (): string => route.useParams().slug

/**
 * The facts about the workspace in the page's address, and the signed-in person's role in it: an `admin` may act, a
 * `member` may look.
 */
export const useWorkspace = () => useSuspenseQuery(workspaceQuery(useSlug())).data
