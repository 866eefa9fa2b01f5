/** The periods that the level history can show, and the labels below its strip. */
import type { Level } from '@svc/protocol'

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
 * first hour of a new agent is not a thin line at the edge.
 */
export const windowFor = (known: number): Window => (known <= windows['24 h'] ? '24 h' : '7 d')

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
