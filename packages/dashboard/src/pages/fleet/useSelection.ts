import { useEffect, useState } from 'react'
import { focusMain } from '../../ui/index.ts'

export interface Selection {
  names: ReadonlySet<string>
  toggle: (name: string) => void
  /** Selects the named agents if `on` is true, otherwise deselects them. */
  set: (names: Iterable<string>, on: boolean) => void
  clear: () => void
}

/** The agents that are selected for bulk commands. Opening another workspace clears the selection. */
export function useSelection(slug: string): Selection {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set())
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the workspace decides
  useEffect(() => setNames(new Set()), [slug])
  const set = (which: Iterable<string>, on: boolean) =>
    setNames((old) => {
      const next = new Set(old)
      for (const name of which) {
        if (on) next.add(name)
        else next.delete(name)
      }
      return next
    })
  return {
    names,
    set,
    toggle: (name) => set([name], !names.has(name)),
    clear: () => {
      setNames(new Set())
      // The bar with the buttons for the selected agents disappears, perhaps with the focus.
      if (document.activeElement?.closest('.fleet-bulk')) focusMain()
    },
  }
}
