import { Tooltip } from '@mantine/core'
import { useClock } from './clock.ts'
import { exactTime, isoTimeOf, relativeText } from './relative.ts'

interface TimeProps {
  /** The time in Unix milliseconds. */
  at: number
}

/**
 * Shows a relative time, such as `3 min ago`, which keeps up with the clock. The exact time appears only on hover, so
 * this component is for links, buttons and long lists.
 */
export function PlainTime({ at }: TimeProps) {
  const iso = isoTimeOf(at)
  const text = useClock((now) => wordsOf(at, now))
  if (iso === undefined) return <span>{text}</span>
  return (
    <time dateTime={iso} title={exactTime(at)}>
      {text}
    </time>
  )
}

const wordsOf = (at: number, now: number): string =>
  isoTimeOf(at) === undefined ? 'at an invalid time' : relativeText(at, now)

/**
 * Shows a relative time, such as `3 min ago`, which keeps up with the clock. The exact time with its time zone appears
 * on hover and focus.
 */
export function Time({ at }: TimeProps) {
  const iso = isoTimeOf(at)
  const text = useClock((now) => wordsOf(at, now))
  if (iso === undefined) return <PlainTime at={at} />
  return (
    <Tooltip label={exactTime(at)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is to be reached by keyboard too */}
      <time dateTime={iso} tabIndex={0} style={{ cursor: 'default' }}>
        {text}
      </time>
    </Tooltip>
  )
}
