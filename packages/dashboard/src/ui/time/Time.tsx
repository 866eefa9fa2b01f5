import { Tooltip } from '@mantine/core'
import { useClock } from './clock.ts'
import { PlainTime, wordsOf } from './PlainTime.tsx'
import { exact, isoTimeOf } from './relative.ts'

interface TimeProps {
  /** The time in Unix milliseconds. */
  at: number
}

/**
 * Shows a relative time, such as `3 min ago`, which keeps up with the clock. The exact time with its time zone appears
 * on hover and focus.
 */
export function Time({ at }: TimeProps) {
  const iso = isoTimeOf(at)
  const text = useClock((now) => wordsOf(at, now))
  if (iso === undefined) return <PlainTime at={at} />
  return (
    <Tooltip label={exact(at)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is to be reached by keyboard too */}
      <time dateTime={iso} tabIndex={0} style={{ cursor: 'default' }}>
        {text}
      </time>
    </Tooltip>
  )
}
