/** The periods that the level history can show, the labels below its strip, and what it says about shares of time. */
import { type Level, levels } from '@svc/protocol'
import { lasting, looks } from '../../../ui/index.ts'
import { percent } from '../../../ui/time/format.ts'

const hour = 3_600_000
export const windows = { '24 h': 24 * hour, '7 d': 7 * 24 * hour, '30 d': 30 * 24 * hour } as const
export type Window = keyof typeof windows

export const colors: Readonly<Record<Level, string>> = {
  ok: 'var(--svc-ok)',
  info: 'var(--svc-info)',
  warn: 'var(--svc-warn)',
  bad: 'var(--svc-bad)',
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/**
 * The period that the level history shows at first: a day if no more than a day is known, otherwise a week. So the
 * first hours of a new agent are not a thin line at the edge.
 */
export const windowFor = (known: number): Window => (known <= windows['24 h'] ? '24 h' : '7 d')

/** True if a time is long enough for an axis and for shares. Those of a few minutes would say nothing. */
export const isLong = (ms: number): boolean => ms >= hour

/**
 * The three labels below the strip of the level history, each with its time in Unix milliseconds: at the start, in the
 * middle and at the end.
 */
export const marksOf = (start: number, end: number): { at: number; text: string }[] => {
  const format = end - start <= 24 * hour ? clock : date
  return [
    { at: start, text: format.format(start) },
    { at: (start + end) / 2, text: format.format((start + end) / 2) },
    { at: end, text: 'now' },
  ]
}

interface KnownTime {
  /** The share of each level in the time in which the agent reported, from 0 to 1. */
  shares: ReadonlyMap<Level, number>
  /** The milliseconds in which the agent reported, and those since. */
  reported: number
  since: number
  /** The state of the agent since its last report. */
  gap: 'offline' | 'stopped'
}

/**
 * Says how the strip is divided, such as `OK 90%, Bad 10%`. If the agent has not reported for some time, the shares are
 * of the time before, and the sentence names both: `OK 100% of 3 h with reports, offline for 2 h since`.
 */
export function summaryOf({ shares, reported, since, gap }: KnownTime): string {
  if (shares.size === 0) return ''
  const words = levels
    .filter((level) => shares.has(level))
    .map((level) => `${looks[level].words} ${percent(shares.get(level) ?? 0)}`)
    .join(', ')
  if (since === 0) return words
  const before = isLong(reported) ? `${words} of ${lasting(reported)} with reports` : `Reports for ${lasting(reported)}`
  return `${before}, ${gap} for ${lasting(since)} since`
}
