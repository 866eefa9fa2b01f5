/**
 * Remembers where the person was: the list of agents as they left it, the agent whose page was open before the list,
 * and the last workspace.
 */
import type { HistoryState } from '@tanstack/react-router'

interface LeftList {
  /** The parameters of the list's address. */
  search: Readonly<Record<string, unknown>>
  /** The data of the list's entry in the browser's history. */
  state: HistoryState
}

const lists = new Map<string, LeftList>()
let left: { slug: string; agent: string } | undefined

/** Remembers the list of agents as it is shown now. */
export const noteList = (slug: string, list: LeftList): void => void lists.set(slug, list)
/** Returns the list of agents as it was last shown. */
export const listBefore = (slug: string): LeftList => lists.get(slug) ?? { search: {}, state: {} }

/** Remembers which page is open: that of an agent, the list of agents, or another page of the workspace. */
export function noteOpenPage(slug: string, place: { agent: string } | 'list' | 'elsewhere'): void {
  noteWorkspace(slug)
  if (place === 'list') return
  left = place === 'elsewhere' ? undefined : { slug, agent: place.agent }
}

/**
 * Returns the agent whose page was open just before the list, and forgets it. Returns undefined if another page was
 * open.
 */
export function takePreviousAgent(slug: string): string | undefined {
  const agent = left?.slug === slug ? left.agent : undefined
  left = undefined
  return agent
}

const lastWorkspace = 'svc-workspace'

function noteWorkspace(slug: string): void {
  try {
    sessionStorage.setItem(lastWorkspace, slug)
  } catch {
    // If the browser forbids storage, previousWorkspace returns the first workspace.
  }
}

/** Returns the workspace that was open last in this tab, if the person is still in it; otherwise the first one. */
export function previousWorkspace(all: readonly { slug: string }[]): string | undefined {
  let last: string | null = null
  try {
    last = sessionStorage.getItem(lastWorkspace)
  } catch {
    // If the browser forbids storage, the first workspace is used.
  }
  return (all.find(({ slug }) => slug === last) ?? all[0])?.slug
}
