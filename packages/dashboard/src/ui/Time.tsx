import { Tooltip } from '@mantine/core'
import { useClock } from './clock.ts'
import { exact, machine, relative, silence } from './relative.ts'

export interface TimeProps {
  /** Unix milliseconds. */
  at: number
  /** Whether the keyboard can reach the exact time; off inside links and buttons. */
  focusable?: boolean
  /** Said as a beginning, for what has lasted since: `silent 3 h`. */
  since?: boolean
}

/** A relative time that ticks, with the exact one and its zone on hover and focus. */
export function Time({ at, focusable = true, since = false }: TimeProps) {
  const iso = machine(at)
  const text = useClock((now) =>
    iso === undefined ? 'at an impossible time' : since ? silence(at, now) : relative(at, now),
  )
  if (iso === undefined) return <span>{text}</span>
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
