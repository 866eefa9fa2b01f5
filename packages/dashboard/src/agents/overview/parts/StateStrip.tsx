import type { AlertLine, StateSpan } from '@svc/api'
import { statesByWeight } from '@svc/api/words'
import type { Level as LevelName } from '@svc/protocol'
import { useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent, RefObject } from 'react'
import { statementOf } from '../../../alerts/parts/words.ts'
import { Strip } from '../../../ui/charts/Strip.tsx'
import { count, exactTime, Level, levelLooks, Text } from '../../../ui/index.ts'
import type { Agent } from '../../parts/agent.ts'
import {
  addressOfTarget,
  type ChangeLine,
  type ChangeTarget,
  type HistoryWindow,
  historyMarksOf,
  spanWords,
  stateSummary,
} from './history.ts'

interface StateStripProps {
  agent: Agent
  window: HistoryWindow
  start: number
  end: number
  lines: readonly ChangeLine[]
  spans: readonly StateSpan[]
  alerts: readonly AlertLine[]
  /** The key of the change that is marked on the strip. */
  chosen: string | null
  setChosen: (key: string | null) => void
  strip: RefObject<HTMLDivElement | null>
}

/**
 * Shows the states of an agent as a strip, with its alerts above and the chosen change below. On the focused strip the
 * arrow keys choose a change, and Enter opens its target.
 */
export function StateStrip({
  agent,
  window,
  start,
  end,
  lines,
  spans,
  alerts,
  chosen,
  setChosen,
  strip,
}: StateStripProps) {
  const open = useOpen(agent)
  const shown = lines.filter(({ at }) => at >= start)
  const place = shown.findIndex(({ key }) => key === chosen)
  const line = shown[place]
  const raised = alerts.filter((alert) => (alert.endedAt ?? end) > start)
  const known = spans
    .filter(({ until }) => until > start)
    // The last span is drawn up to `end`, which is later than the answer.
    .map((span, i, all) => ({
      ...span,
      from: Math.max(start, span.from),
      until: i === all.length - 1 ? Math.max(end, span.until) : span.until,
    }))
  const summary = stateSummary(known)
  const since = agent.page.statesSince

  const move = (event: KeyboardEvent) => {
    const last = shown.length - 1
    // `shown` begins with the newest change, which is at the right end of the strip.
    const to = {
      ...{ ArrowLeft: place + 1, ArrowRight: (line ? place : last + 1) - 1 },
      ...{ Home: last, End: 0 },
    }[event.key]
    if (event.key === 'Escape') setChosen(null)
    if (event.key === 'Enter' && line?.target) open(line.target)
    if (to === undefined || last < 0) return
    event.preventDefault()
    setChosen(shown[Math.max(0, Math.min(last, to))]?.key ?? null)
  }
  return (
    <>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: the arrow keys go from change to change */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        ref={strip}
        className="ag-past"
        role="group"
        aria-label="History"
        aria-description="Left and Right go from change to change, Enter opens one."
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setChosen(null)}
      >
        <Strip
          title={`States over the last ${window}`}
          summary={raised.length > 0 ? `${summary}. ${count(raised.length, 'alert')}` : summary}
          start={start}
          end={end}
          marks={historyMarksOf(start, end)}
          at={line?.at}
          above={raised.map((alert) => alertSpan(alert, end))}
          spans={known
            .filter(({ is }) => is !== 'unknown')
            .map((span) => ({
              key: String(span.from),
              from: span.from,
              to: span.until,
              color: colorOf(span),
              hatched: span.is === 'paused',
              words: () => spanWords(span, end),
              weight: statesByWeight.indexOf(span.is === 'reporting' ? (span.level ?? 'none') : span.is),
            }))}
        />
      </div>
      {/* biome-ignore-end lint/a11y/useSemanticElements: a fieldset is for inputs */}
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: the arrow keys go from change to change */}
      <p className="ag-quiet ag-shares">
        {/* Screen readers announce only the chosen change, because the shares change with each answer. */}
        <span aria-live="polite">{line && <ChosenChange line={line} />}</span>
        {line === undefined && (summary || 'Less than an hour is known.')}
      </p>
      {since !== null && since > start && (
        <p className="ag-quiet ag-shares">
          Kept since {new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' }).format(since)}: earlier times
          offline are not known
        </p>
      )}
    </>
  )
}

const ChosenChange = ({ line: { at, level, words } }: { line: ChangeLine }) => (
  <>
    {level !== null && <Level level={level} />}
    {level !== null && words !== '' && ' '}
    {words !== '' && <Text>{words}</Text>}, {exactTime(at)}
  </>
)

/** Returns a function that opens the page of a change's target. */
function useOpen({ slug, page }: Agent): (target: ChangeTarget) => void {
  const navigate = useNavigate()
  return (target) => void navigate(addressOfTarget(target, slug, page.name))
}

/** An alert as a line above the strip, from the alert's opening to its end, or to now if it is open. */
const alertSpan = (alert: AlertLine, end: number) => ({
  key: alert.id,
  from: alert.openedAt ?? alert.since,
  to: alert.endedAt ?? end,
  color: colors[alert.level],
  weight: statesByWeight.indexOf(alert.level),
  words: () =>
    `${levelLooks[alert.level].words} alert: ${statementOf(alert)}\n${exactTime(alert.openedAt ?? alert.since)} to ${alert.endedAt === null ? 'now' : exactTime(alert.endedAt)}`,
})

const colors: Readonly<Record<LevelName, string>> = {
  ok: 'var(--svc-ok)',
  info: 'var(--svc-info)',
  warn: 'var(--svc-warn)',
  bad: 'var(--svc-bad)',
}

const colorOf = ({ is, level }: StateSpan): string =>
  is === 'offline' || is === 'stopped' || level === null ? 'var(--svc-offline)' : colors[level]
