import { useEffect, useState } from 'react'

export interface Selection {
  names: ReadonlySet<string>
  toggle: (name: string) => void
  /** Selects many agents if `on` is true, otherwise deselects them, as when a person holds Shift. */
  set: (names: Iterable<string>, on: boolean) => void
  clear: () => void
}

/** The agents that are selected for bulk commands. When another workspace is opened, none is selected. */
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
    clear: () => setNames(new Set()),
  }
}
