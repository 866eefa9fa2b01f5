import { useClock } from './clock.ts'
import { exact, isoTimeOf, lasts, relative } from './relative.ts'

interface PlainTimeProps {
  /** The time in Unix milliseconds. */
  at: number
  /**
   * Set for an agent that is offline or stopped. The words then say how long this has lasted, such as `offline 3 h`,
   * instead of a relative time.
   */
  since?: 'offline' | 'stopped' | false
}

/**
 * Shows a relative time, such as `3 min ago`, which keeps up with the clock. The exact time appears only on hover, so
 * this component is for links, buttons and long lists.
 */
export function PlainTime({ at, since = false }: PlainTimeProps) {
  const iso = isoTimeOf(at)
  const text = useClock((now) => wordsOf(at, now, since))
  if (iso === undefined) return <span>{text}</span>
  return (
    <time dateTime={iso} title={exact(at)}>
      {text}
    </time>
  )
}

export const wordsOf = (at: number, now: number, since: PlainTimeProps['since'] = false): string =>
  isoTimeOf(at) === undefined ? 'at an invalid time' : since ? lasts(since, at, now) : relative(at, now)
