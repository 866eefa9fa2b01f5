import { type RefObject, useEffect, useRef } from 'react'

/** Scrolls a row of links sideways so that the part at `selector` is in sight, whenever `shown` changes. */
export function useInSight<T extends HTMLElement>(selector: string, shown: unknown): RefObject<T | null> {
  const row = useRef<T>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` decides which part matches `selector`
  useEffect(() => {
    const part = row.current?.querySelector<HTMLElement>(selector)
    if (row.current && part) row.current.scrollLeft = part.offsetLeft - (row.current.clientWidth - part.clientWidth) / 2
  }, [selector, shown])
  return row
}
