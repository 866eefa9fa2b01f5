import { SegmentedControl } from '@mantine/core'
import type { AlertLine } from '@svc/api'
import { type Level as LevelName, levels } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { statementOf } from '../../../alerts/parts/words.ts'
import { read } from '../../../data/queries.ts'
import { Strip, sharesOf, spansOf } from '../../../ui/charts/Strip.tsx'
import { count, exactTime, Level, lastingText, levelLooks, serviceNow, Text, Time } from '../../../ui/index.ts'
import { Section } from '../../../ui/parts.tsx'
import { percent } from '../../../ui/time/format.ts'
import type { Agent } from '../../parts/agent.ts'

const listed = 6
/** The maximum number of level changes that the page requests. */
const asked = 500

/**
 * Shows the agent's level over time, as a strip and as a list of changes. The strip shows that the agent is offline
 * now, but not earlier times offline, because these are not recorded.
 */
export function Levels({ agent: { slug, page, silent } }: { agent: Agent }) {
  const [picked, setPicked] = useState<Window | null>(null)
  const { data } = useQuery(read('GET /w/:slug/agents/:name/levels', { slug, name: page.name }, { limit: asked }))
  const { data: alerts = [] } = useQuery(read('GET /w/:slug/agents/:name/alerts', { slug, name: page.name }))
  const [all, setAll] = useState(false)
  if (!data || data.length === 0) return null
  const end = serviceNow()
  const oldest = data.at(-1)?.at ?? end
  const window = picked ?? windowFor(end - oldest)
  const start = Math.max(oldest, end - windows[window])
  const heard = silent && page.seenAt !== null ? page.seenAt : end
  const spans = spansOf(data, start, heard)
  const shares = sharesOf(spans, start)
  const raised = alerts.filter((alert) => (alert.endedAt ?? end) > start)
  const gap = page.stopped === null ? 'offline' : 'stopped'
  const summary = summaryOf({ shares, reported: heard - start, since: end - heard, gap })
  const hasAxis = isLong(end - oldest)
  return (
    <Section
      title="Level history"
      aside={
        hasAxis && (
          <SegmentedControl
            size="xs"
            data={Object.keys(windows)}
            value={window}
            onChange={(to) => setPicked(to as Window)}
            aria-label="How far back"
          />
        )
      }
    >
      {hasAxis && (
        <>
          <Strip
            title={`Level over the last ${window}`}
            summary={raised.length > 0 ? `${summary}. ${count(raised.length, 'alert')}` : summary}
            start={start}
            end={end}
            marks={marksOf(start, end)}
            above={raised.map((alert) => alertSpan(alert, end))}
            spans={[
              ...spans.map((span) => ({ ...span, color: colors[span.level], words: wordsOf(span) })),
              ...(heard < end ? [{ from: heard, to: end, color: 'var(--svc-line)', words: gap }] : []),
            ]}
          />
          <p className="ag-quiet ag-shares">{summary || 'No report in this time.'}</p>
        </>
      )}
      <ol className="svc-list ag-changes">
        {(all ? data : data.slice(0, listed)).map((change, i) => (
          <li key={`${change.at}-${change.level}-${change.label}`}>
            <Level level={change.level} />
            <span className="ag-change-label">{change.label !== null && <Text cut>{change.label}</Text>}</span>
            <span className="ag-quiet">
              <Time at={change.at} />
              {i > 0 && data[i - 1] && <>, for {lastingText((data[i - 1]?.at ?? change.at) - change.at)}</>}
            </span>
          </li>
        ))}
      </ol>
      {data.length > listed && (
        <button type="button" className="ag-more" onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `All ${data.length} changes`}
        </button>
      )}
    </Section>
  )
}

const wordsOf = (span: { level: LevelName; label: string | null; from: number; to: number }) =>
  [
    `${levelLooks[span.level].words}${span.label ? `: ${span.label}` : ''}`,
    `${exactTime(span.from)} to ${exactTime(span.to)}`,
  ].join('\n')

/** An alert as a line above the strip of levels, from the alert's opening to its end, or to now if it is open. */
const alertSpan = (alert: AlertLine, end: number) => ({
  from: alert.openedAt ?? alert.since,
  to: alert.endedAt ?? end,
  color: colors[alert.level],
  words: `Alert: ${statementOf(alert)}\n${exactTime(alert.openedAt ?? alert.since)} to ${alert.endedAt === null ? 'now' : exactTime(alert.endedAt)}`,
})

// ---- The periods that can be shown, the labels below the strip, and what is said about shares of time ----

const hour = 3_600_000
const windows = { '24 h': 24 * hour, '7 d': 7 * 24 * hour, '30 d': 30 * 24 * hour } as const
type Window = keyof typeof windows

const colors: Readonly<Record<LevelName, string>> = {
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
  shares: ReadonlyMap<LevelName, number>
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
    .map((level) => `${levelLooks[level].words} ${percent(shares.get(level) ?? 0)}`)
    .join(', ')
  if (since === 0) return words
  const before = isLong(reported)
    ? `${words} of ${lastingText(reported)} with reports`
    : `Reports for ${lastingText(reported)}`
  return `${before}, ${gap} for ${lastingText(since)} since`
}
