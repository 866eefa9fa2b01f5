import { Button } from '@mantine/core'
import { type ReactNode, type RefObject, useState } from 'react'
import { useFocusedPart } from './dialogs/focus.ts'
import { figure } from './time/format.ts'

interface FirstRows<T, E extends HTMLElement> {
  shown: readonly T[]
  /** The ref for the list. The list gets the focus when the button disappears. */
  list: RefObject<E | null>
  /** The button that shows all rows; null if all are shown. */
  button: ReactNode
}

/** The first `max` rows of a list, and a button that shows all of them. */
export function useFirstRows<T, E extends HTMLElement = HTMLUListElement>(
  rows: readonly T[],
  max: number,
): FirstRows<T, E> {
  const [all, setAll] = useState(false)
  const list = useFocusedPart<E>(String(all))
  if (all || rows.length <= max) return { shown: rows, list, button: null }
  const button = (
    <Button variant="default" size="xs" onClick={() => setAll(true)}>
      Show all {figure(rows.length)}
    </Button>
  )
  return { shown: rows.slice(0, max), list, button }
}
