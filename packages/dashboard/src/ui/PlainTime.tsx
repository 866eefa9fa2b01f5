import { useClock } from './clock.ts'
import { exact, machine, relative, silence } from './relative.ts'

export interface PlainTimeProps {
  /** Unix milliseconds. */
  at: number
  /** Said as a beginning, for what has lasted since: `silent 3 h`. */
  since?: boolean
}

/** A relative time that ticks, for links, buttons and lists of very many: the exact one on hover only. */
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

export const wordsOf = (at: number, now: number, since = false): string =>
  machine(at) === undefined ? 'at an impossible time' : since ? silence(at, now) : relative(at, now)
