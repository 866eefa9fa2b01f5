import { Tooltip } from '@mantine/core'
import { useClock } from './clock.ts'
import { dateAndTime, exactTime, isoTimeOf, relativeText, timeOfDay } from './relative.ts'
import { PlainTime } from './Time.tsx'

/**
 * Shows the time of day at which something happened, and the date unless it is today's: for lists that are in the order
 * of time, in which many lines would have the same relative time. How long ago that was appears on hover and focus.
 */
export function ClockTime({ at }: { at: number }) {
  const iso = isoTimeOf(at)
  return iso === undefined ? <PlainTime at={at} /> : <Clock at={at} iso={iso} />
}

function Clock({ at, iso }: { at: number; iso: string }) {
  const text = useClock((now) => clockText(at, now))
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

/** Formats a time as the time of day, such as `14:03`, with the date unless it is the day of `now`. */
export const clockText = (at: number, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString() ? timeOfDay(at) : dateAndTime(at, now)
