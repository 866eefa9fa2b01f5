/** Hooks that give the workspace of the current page. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { createContext, useContext } from 'react'
import { read } from './queries.ts'

/** The short name of the workspace in whose frame a page outside of workspaces is shown, such as My account. */
export const FrameOf = createContext('')

/** Returns the short name of the workspace, which is part of the page's address, or else that of the frame. */
export function useSlug(): string {
  const frame = useContext(FrameOf)
  return useParams({ strict: false }).slug ?? frame
}

/**
 * Returns the facts about the workspace in the page's address, and the signed-in person's role in it: `admin` or
 * `member`. Members can view, acknowledge alerts and mute agents; most other changes are for admins.
 */
export const useWorkspace = () => useSuspenseQuery(read('GET /w/:slug', { slug: useSlug() })).data
