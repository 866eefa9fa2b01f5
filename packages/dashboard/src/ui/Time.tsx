import { Tooltip } from '@mantine/core'
import { useClock } from './clock.ts'
import { exact, machine, relative } from './relative.ts'

export interface TimeProps {
  /** Unix milliseconds. */
  at: number
  /** Whether the keyboard can reach the exact time; off inside links and buttons. */
  focusable?: boolean
  /** Put before the relative time, such as `since`. */
  prefix?: string
}

/** A relative time that ticks, with the exact one and its zone on hover and focus. */
export function Time({ at, focusable = true, prefix }: TimeProps) {
  const words = useClock((now) => (machine(at) === undefined ? 'at an impossible time' : relative(at, now)))
  const iso = machine(at)
  if (iso === undefined) return <span>{words}</span>
  const text = prefix ? `${prefix} ${words}` : words
  if (!focusable)
    return (
      <time dateTime={iso} title={exact(at)}>
        {text}
      </time>
    )
  return (
    <Tooltip label={exact(at)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is to be reached by keyboard too */}
      <time dateTime={iso} tabIndex={0} style={{ cursor: 'default' }}>
        {text}
      </time>
    </Tooltip>
  )
}
