/** Hooks that give the workspace of the current page. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { createContext, useContext } from 'react'
import { read } from './queries.ts'

/**
 * The short name of the workspace whose navigation surrounds the page; empty without one. It may also surround a page
 * that belongs to no workspace, such as My account.
 */
export const ShellWorkspace = createContext('')

/** Returns the short name of the workspace in `ShellWorkspace` or, if that is empty, in the page's address. */
export function useSlug(): string {
  const frame = useContext(ShellWorkspace)
  const { slug = '' } = useParams({ strict: false })
  return frame || slug
}

/**
 * Returns the facts about the workspace that `useSlug` names, and the signed-in person's role in it: `admin` or
 * `member`. Members can view, acknowledge alerts and mute agents; most other changes are for admins.
 */
export const useWorkspace = () => useSuspenseQuery(read('GET /w/:slug', { slug: useSlug() })).data
