import { Tooltip } from '@mantine/core'
import { useClock } from './clock.ts'
import { dateAndTime, exactTime, isoTimeOf, relativeText, timeOfDay } from './relative.ts'
import { PlainTime } from './Time.tsx'

interface ClockTimeProps {
  /** The time in Unix milliseconds, by the service's clock. */
  at: number
  /** True to show the seconds, too. */
  seconds?: boolean
  /** True below a heading that names the day. The date is then never shown. */
  isUnderDay?: boolean
}

/**
 * Shows the time of day, and the date unless it is today. Lists in the order of time use it, since many of their rows
 * would have the same relative time. The exact and the relative time appear on hover and focus.
 */
export function ClockTime({ at, ...more }: ClockTimeProps) {
  const iso = isoTimeOf(at)
  return iso === undefined ? <PlainTime at={at} /> : <Clock at={at} iso={iso} {...more} />
}

function Clock({ at, iso, seconds = false, isUnderDay = false }: ClockTimeProps & { iso: string }) {
  const text = useClock((now) => clockText(at, isUnderDay ? at : now, seconds))
  const ago = useClock((now) => relativeText(at, now))
  return (
    <Tooltip label={`${exactTime(at)}, ${ago}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is to be reached by keyboard too */}
      <time dateTime={iso} tabIndex={0} style={{ cursor: 'default' }}>
        {text}
      </time>
    </Tooltip>
  )
}

/**
 * Formats a time as `14:03`, or `14:03:07` with `seconds`. If it is on another day than `now`, the text is
 * `21 Nov, 14:03`, even with `seconds`.
 */
export function clockText(at: number, now: number, seconds = false): string {
  const held = new Date(at)
  if (held.toDateString() !== new Date(now).toDateString()) return dateAndTime(at, now)
  return seconds ? `${timeOfDay(at)}:${String(held.getSeconds()).padStart(2, '0')}` : timeOfDay(at)
}
