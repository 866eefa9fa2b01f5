/** The icons of the list as paths, so that a canvas can show them. */
import { mapStates } from '@svc/api/filter'
import { IconPlayerPauseFilled } from '@tabler/icons-react'
import { useLayoutEffect, useRef } from 'react'
import { levelLooks } from '../../ui/index.ts'
import type { MapState } from './states.ts'

/** The size of an icon in pixels, as in the list. */
export const signSide = 15
/** The side of the grid on which the paths of icons are drawn, and the width of their lines on it. */
export const signGrid = { side: 24, line: 2 }

interface Sign {
  paths: readonly Path2D[]
  /** True if the paths are filled, false if they are lines. */
  isFilled: boolean
}
/** The icons of all states. */
export type Signs = Readonly<Record<MapState, Sign>>

const iconOf = (state: MapState) => (state === 'paused' ? IconPlayerPauseFilled : levelLooks[state].icon)

/** Calls `onRead` with the icons of all states, which it takes from elements that nobody sees. */
export function SignReader({ onRead }: { onRead: (signs: Signs) => void }) {
  const icons = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const signs = mapStates.map((state, i) => [state, signOf(icons.current?.children[i])])
    onRead(Object.fromEntries(signs) as Signs)
  }, [onRead])
  return (
    <div ref={icons} hidden>
      {mapStates.map((state) => {
        const Icon = iconOf(state)
        return <Icon key={state} aria-hidden />
      })}
    </div>
  )
}

const signOf = (icon: Element | undefined): Sign => ({
  paths: [...(icon?.querySelectorAll('path') ?? [])].map((path) => new Path2D(path.getAttribute('d') ?? '')),
  isFilled: icon?.getAttribute('fill') !== 'none',
})
