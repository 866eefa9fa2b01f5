/** Hooks that give the workspace of the current page. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { workspaceQuery } from './queries.ts'

const route = getRouteApi('/signed-in/w/$slug')

/** Returns the short name of the workspace, which is part of the page's address. */
export const useSlug = (): string => route.useParams().slug

/**
 * Returns the facts about the workspace in the page's address, and the signed-in person's role in it: `admin` or
 * `member`. Members can view, acknowledge alerts and mute agents; most other changes are for admins.
 */
export const useWorkspace = () => useSuspenseQuery(workspaceQuery(useSlug())).data
