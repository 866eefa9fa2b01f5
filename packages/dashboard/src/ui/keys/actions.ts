/** The actions that the shown page offers in the palette. */
import { useEffect } from 'react'

interface PageAction {
  words: string
  run: () => unknown
}

const offered = new Set<readonly PageAction[]>()

/** Offers actions in the palette while the component is shown. */
export function usePageActions(actions: readonly PageAction[]): void {
  useEffect(() => {
    offered.add(actions)
    return () => void offered.delete(actions)
  })
}

/** The actions that are offered now. */
export const pageActions = (): PageAction[] => [...offered].flat()
