/** Searches the documents at `/help` for the palette. */
import { type HelpHit, type HelpIndex, helpFor } from '@svc/api/help'
import { trimInvisible } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'

/** The maximum number of sections that are listed. */
const maxSections = 5

/**
 * The sections that fit what is typed. The index is loaded when two characters are typed. Without the index, nothing is
 * found.
 */
export function useHelp(typed: string): HelpHit[] {
  const isTyped = trimInvisible(typed).length > 1
  const { data } = useQuery({
    queryKey: ['help'],
    queryFn: ({ signal }) => loadIndex(signal),
    enabled: isTyped,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return isTyped && data ? helpFor(typed, data, maxSections) : []
}

/** Loads the index. A node of an earlier version has none, and answers 404. */
export async function loadIndex(signal: AbortSignal): Promise<HelpIndex> {
  const answer = await fetch('/help/search.json', { signal })
  if (!answer.ok) throw new Error(`The index of the help is not there: ${answer.status}`)
  return await answer.json()
}
