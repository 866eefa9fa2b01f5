import { SegmentedControl } from '@mantine/core'
import type { AlertLine } from '@svc/api'
import type { Level as LevelName } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { statementOf } from '../../../alerts/parts/words.ts'
import { read } from '../../../data/queries.ts'
import { Strip, sharesOf, spansOf } from '../../../ui/charts/index.ts'
import { count, exact, Level, lasting, looks, serviceNow, Text, Time } from '../../../ui/index.ts'
import { Section } from '../../../ui/parts.tsx'
import type { Agent } from '../../parts/agent.ts'
import { colors, isLong, marksOf, summaryOf, type Window, windowFor, windows } from './windows.ts'

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
              {i > 0 && data[i - 1] && <>, for {lasting((data[i - 1]?.at ?? change.at) - change.at)}</>}
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
  [`${looks[span.level].words}${span.label ? `: ${span.label}` : ''}`, `${exact(span.from)} to ${exact(span.to)}`].join(
    '\n',
  )

/** An alert as a line above the strip of levels, from the alert's opening to its end, or to now if it is open. */
const alertSpan = (alert: AlertLine, end: number) => ({
  from: alert.openedAt ?? alert.since,
  to: alert.endedAt ?? end,
  color: colors[alert.level],
  words: `Alert: ${statementOf(alert)}\n${exact(alert.openedAt ?? alert.since)} to ${alert.endedAt === null ? 'now' : exact(alert.endedAt)}`,
})
