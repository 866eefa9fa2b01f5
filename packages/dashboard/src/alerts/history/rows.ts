/** Groups the alerts of a timeline into rows, with sums and texts. */
import type { AlertBar } from '@svc/api'
import { alertRules, itemText } from '@svc/api/words'
import { pastDays } from '../../paths.ts'
import { dateAndTime, lastingText, timeOfDay } from '../../ui/index.ts'

const hour = 3_600_000
const day = 24 * hour

/** The names of the periods in sentences, by their number of days. */
export const periods = { '1': '24 hours', '7': '7 days', '30': '30 days' } as const
/** The names of the periods on the control by which the person chooses one. */
export const shortPeriods = { '1': '24 h', '7': '7 d', '30': '30 d' } as const
type Days = keyof typeof periods
/** The periods that can be chosen. */
export const dayChoices = pastDays satisfies readonly Days[]
export const periodMs = (days: Days): number => Number(days) * day
/** The period that is loaded if the person chose none. */
export const usualDays: Days = '7'

/**
 * The period to show if the person chose none. `alerts` are those of the usual period; if all of them opened within the
 * last day, it is one day.
 */
export const daysFor = (alerts: readonly Pick<AlertBar, 'openedAt'>[], end: number): Days =>
  alerts.length > 0 && alerts.every(({ openedAt }) => openedAt >= end - day) ? '1' : usualDays

/** A row of the timeline stands for a rule or for an agent. */
export type TimelineRowKind = 'rule' | 'agent'

/** The part of the period in which an alert was open. `to` is null while the alert is open. */
export interface AlertSpan {
  from: number
  to: number | null
  tone: 'bad' | 'warn'
  alert: AlertBar
}

/** A row of the timeline: the alerts of one rule or agent. */
export interface TimelineRow {
  key: string
  name: string
  /** The times at which alerts were open, in the order in which they opened. */
  spans: readonly AlertSpan[]
  /** The sum of the lengths of `spans`, and the longest of them, in milliseconds. */
  total: number
  longest: number
}

/** The rows after the first `maxRows` are combined into one row, unless there is only one of them. */
const maxRows = 15

/** Groups alerts into rows, the one with the longest sum first. The time before `start` is left out. */
export function timelineRowsOf(
  alerts: readonly AlertBar[],
  kind: TimelineRowKind,
  { start, end }: { start: number; end: number },
): TimelineRow[] {
  const nameOf = (alert: AlertBar) =>
    kind === 'rule'
      ? alertRules[alert.rule].heading
      : alert.subject.kind === 'workspace'
        ? 'The workspace'
        : alert.subject.name
  const rows = [...Map.groupBy(alerts, nameOf)]
    .map(([name, own]) => rowOf(name, own, { start, end }))
    .sort((a, b) => b.total - a.total || b.spans.length - a.spans.length || (a.name < b.name ? -1 : 1))
  if (rows.length <= maxRows + 1) return rows
  const rest = rows.slice(maxRows)
  const spans = rest.flatMap((row) => row.spans).sort((a, b) => a.from - b.from)
  return [
    ...rows.slice(0, maxRows),
    {
      key: '',
      name: `${rest.length} others`,
      spans,
      total: rest.reduce((sum, row) => sum + row.total, 0),
      longest: Math.max(...rest.map((row) => row.longest)),
    },
  ]
}

function rowOf(name: string, alerts: readonly AlertBar[], { start, end }: { start: number; end: number }): TimelineRow {
  const spans = alerts
    .map((alert): AlertSpan => {
      return { from: Math.max(start, alert.openedAt), to: alert.endedAt, tone: alert.level, alert }
    })
    .sort((a, b) => a.from - b.from)
  let [total, longest] = [0, 0]
  for (const { from, to } of spans) {
    const length = Math.max(0, (to ?? end) - from)
    total += length
    longest = Math.max(longest, length)
  }
  return { key: name, name, spans, total, longest }
}

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** Returns about `count` marks for the axis: full hours if the period is at most a day, otherwise midnights. */
export function axisMarksOf(start: number, end: number, count: number): { at: number; text: string }[] {
  const isDay = end - start <= day
  const unit = isDay ? hour : day
  const step = Math.max(1, Math.ceil((end - start) / unit / count))
  const marks: { at: number; text: string }[] = []
  const first = new Date(end)
  if (isDay) first.setMinutes(0, 0, 0)
  else first.setHours(0, 0, 0, 0)
  for (let i = 0; ; i++) {
    const at = new Date(first)
    if (isDay) at.setHours(at.getHours() - i * step)
    else at.setDate(at.getDate() - i * step)
    if (at.getTime() < start) return marks.reverse()
    marks.push({ at: at.getTime(), text: isDay ? timeOfDay(at.getTime()) : date.format(at) })
  }
}

/** An alert in words, such as `Level Bad, 26 Nov, 14:02 to 26 Nov, 14:20, 18 min`. */
export function spanText({ alert }: AlertSpan, end: number): string {
  const { rule, subject, openedAt, endedAt } = alert
  const { heading } = alertRules[rule]
  const what = subject.item === undefined ? heading : `${heading}: ${itemText(subject.item)}`
  const until = endedAt === null ? ', still open' : ` to ${dateAndTime(endedAt, end)}`
  return `${what}, ${dateAndTime(openedAt, end)}${until}, ${lastingText((endedAt ?? end) - openedAt)}`
}

/**
 * Returns the row and the span to which a key moves; undefined for other keys. In the row above or below, the span that
 * begins at the nearest time is chosen.
 */
export function spanAfterKey(
  rows: readonly TimelineRow[],
  at: { row: number; span: number } | null,
  key: string,
): { row: number; span: number } | undefined {
  const last = rows.length - 1
  if (last < 0) return undefined
  if (at === null) {
    if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key)) return undefined
    return { row: 0, span: key === 'Home' || key === 'ArrowRight' ? 0 : (rows[0]?.spans.length ?? 1) - 1 }
  }
  const spans = rows[at.row]?.spans ?? []
  const within = { ArrowLeft: at.span - 1, ArrowRight: at.span + 1, Home: 0, End: spans.length - 1 }[key]
  if (within !== undefined) return { row: at.row, span: Math.max(0, Math.min(spans.length - 1, within)) }
  const row = { ArrowUp: at.row - 1, ArrowDown: at.row + 1 }[key]
  if (row === undefined) return undefined
  const to = Math.max(0, Math.min(last, row))
  const from = spans[at.span]?.from ?? 0
  const others = rows[to]?.spans ?? []
  const nearest = others.reduce(
    (best, span, i) => (Math.abs(span.from - from) < Math.abs((others[best]?.from ?? 0) - from) ? i : best),
    0,
  )
  return { row: to, span: nearest }
}
