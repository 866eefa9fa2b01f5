import { useClock } from './clock.ts'
import { exact, lasts, machine, relative } from './relative.ts'

interface PlainTimeProps {
  /** The time in Unix milliseconds. */
  at: number
  /** Set to show how long a state has lasted, such as `offline 3 h`, in place of a relative time. */
  since?: 'offline' | 'stopped' | false
}

/**
 * Shows a relative time that keeps up with the clock, such as `3 min ago`. It is for links, buttons and long lists: the
 * exact time appears only on hover.
 */
export function PlainTime({ at, since = false }: PlainTimeProps) {
  const iso = machine(at)
  const text = useClock((now) => wordsOf(at, now, since))
  if (iso === undefined) return <span>{text}</span>
  return (
    <time dateTime={iso} title={exact(at)}>
      {text}
    </time>
  )
}

export const wordsOf = (at: number, now: number, since: PlainTimeProps['since'] = false): string =>
  machine(at) === undefined ? 'at an invalid time' : since ? lasts(since, at, now) : relative(at, now)
