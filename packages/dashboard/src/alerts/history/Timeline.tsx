import { useElementSize } from '@mantine/hooks'
import type { AlertBar } from '@svc/api'
import { type KeyboardEvent, useState } from 'react'
import { paths } from '../../paths.ts'
import { linearScale } from '../../ui/charts/scale.ts'
import { Tick } from '../../ui/charts/Tick.tsx'
import { barNear, positionSpans, TimeBars } from '../../ui/charts/TimeBars.tsx'
import { Level, lastingText, Text } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import './history.css'
import {
  type AlertSpan,
  axisMarksOf,
  spanAfterKey,
  spanText,
  type TimelineRow,
  type TimelineRowKind,
  timelineRowsOf,
} from './rows.ts'

interface TimelineProps {
  slug: string
  alerts: readonly AlertBar[]
  kind: TimelineRowKind
  start: number
  end: number
}

/**
 * A table with a row for each rule or agent: bars for the times at which its alerts were open, the number of alerts,
 * and their durations. The arrow keys go from alert to alert.
 */
export function Timeline({ slug, alerts, kind, start, end }: TimelineProps) {
  const { ref, width } = useElementSize<HTMLTableCellElement>()
  const [chosen, setChosen] = useState<string | null>(null)
  const rows = timelineRowsOf(alerts, kind, { start, end })
  const at = indexesOf(rows, chosen)
  const span = at && rows[at.row]?.spans[at.span]
  const marks = axisMarksOf(start, end, Math.max(2, Math.floor(width / 84)))
  const place = positionSpans({ start, end, width })
  const scale = linearScale([start, end], [0, width])
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return setChosen(null)
    const to = spanAfterKey(rows, at, event.key)
    if (!to) return
    event.preventDefault()
    setChosen(rows[to.row]?.spans[to.span]?.alert.id ?? null)
  }
  return (
    <>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: the arrow keys go from alert to alert */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        className="al-time"
        role="group"
        aria-label="Timeline of alerts"
        aria-description="Left and Right go from alert to alert, Up and Down to another row."
        tabIndex={0}
        onKeyDown={move}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{kind === 'rule' ? 'Rule' : 'Agent'}</th>
              <th scope="col" ref={ref} className="al-time-axis">
                <span className="al-time-when">When</span>
                <svg width={width} height={16} aria-hidden>
                  {marks.map((mark) => (
                    <Tick key={mark.at} x={scale(mark.at)} y={12} anchor={anchorOf(scale(mark.at), width)}>
                      {mark.text}
                    </Tick>
                  ))}
                </svg>
              </th>
              <th scope="col">Alerts</th>
              <th scope="col">In all</th>
              <th scope="col">Longest</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <Text>{row.name}</Text>
                </th>
                <td
                  className="al-time-bars"
                  onPointerDown={(event) => setChosen(pointed(row, event) ?? chosen)}
                  onPointerMove={(event) => event.pointerType === 'mouse' && setChosen(pointed(row, event) ?? chosen)}
                >
                  <TimeBars
                    bars={row.spans}
                    at={span && row.spans.includes(span) ? span : undefined}
                    marks={marks.map((mark) => mark.at)}
                    {...{ start, end, width }}
                  />
                </td>
                <td>{row.spans.length}</td>
                <td>{lastingText(row.total)}</td>
                <td>{lastingText(row.longest)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {/* biome-ignore-end lint/a11y/useSemanticElements: a fieldset is for inputs */}
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: the arrow keys go from alert to alert */}
      <div className="al-time-foot">
        <p aria-live="polite">
          {span ? <ChosenSpan slug={slug} span={span} end={end} /> : 'Choose a bar to read about it.'}
        </p>
        <TimelineKey />
      </div>
    </>
  )

  function pointed(row: TimelineRow, event: { clientX: number; currentTarget: Element }): string | undefined {
    const svg = event.currentTarget.querySelector('svg')
    const x = event.clientX - (svg ?? event.currentTarget).getBoundingClientRect().left
    return barNear(row.spans, x, place)?.alert.id
  }
}

/** Returns the index of the row that shows the alert with this id, and of its span in that row; null if none does. */
function indexesOf(rows: readonly TimelineRow[], id: string | null): { row: number; span: number } | null {
  if (id === null) return null
  for (const [row, { spans }] of rows.entries()) {
    const span = spans.findIndex(({ alert }) => alert.id === id)
    if (span >= 0) return { row, span }
  }
  return null
}

const anchorOf = (x: number, width: number) => (x < 20 ? 'start' : x > width - 20 ? 'end' : 'center')

function ChosenSpan({ slug, span, end }: { slug: string; span: AlertSpan; end: number }) {
  const { subject, level, gone } = span.alert
  return (
    <>
      <Level level={level} />{' '}
      {subject.kind === 'agent' && !gone ? (
        <AnchorLink to={paths.agent} params={{ slug, name: subject.name }} fw={600}>
          <Text>{subject.name}</Text>
        </AnchorLink>
      ) : (
        <strong>
          <Text>{subject.kind === 'workspace' ? 'The workspace' : subject.name}</Text>
        </strong>
      )}{' '}
      <Text>{spanText(span, end)}</Text>
    </>
  )
}

/** Explains the shapes of the bars. */
const TimelineKey = () => (
  <ul className="svc-time-key">
    <li>
      <svg width={16} height={14} aria-hidden>
        <path data-tone="bad" d="M0 0H16V14H0z" />
      </svg>
      Bad
    </li>
    <li>
      <svg width={16} height={14} aria-hidden>
        <path data-tone="warn" d="M0 4H16V10H0z" />
      </svg>
      Warning
    </li>
    <li>
      <svg width={16} height={14} aria-hidden>
        <path data-tone="bad" d="M0 0H11L16 7L11 14H0z" />
      </svg>
      still open
    </li>
  </ul>
)
