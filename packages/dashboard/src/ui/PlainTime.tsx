import { useClock } from './clock.ts'
import { exact, lasts, machine, relative } from './relative.ts'

interface PlainTimeProps {
  /** Unix milliseconds. */
  at: number
  /** Shown as a duration so far: `offline 3 h`. */
  since?: 'offline' | 'stopped' | false
}

/** A relative time that ticks, for links, buttons and long lists: the exact one on hover only. */
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
