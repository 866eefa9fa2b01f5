import { SegmentedControl } from '@mantine/core'
import type { AlertLine, StateSpan } from '@svc/api'
import type { Level as LevelName } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { statementOf } from '../../../alerts/parts/words.ts'
import { read } from '../../../data/queries.ts'
import { paths } from '../../../paths.ts'
import { Strip } from '../../../ui/charts/Strip.tsx'
import { count, exactTime, Level, serviceNow, Text, Time } from '../../../ui/index.ts'
import { AnchorLink } from '../../../ui/links.tsx'
import { Section } from '../../../ui/parts.tsx'
import type { Agent } from '../../parts/agent.ts'
import {
  askedSince,
  type ChangeLine,
  isLong,
  linesOf,
  marksOf,
  spanWords,
  summaryOf,
  type Target,
  type Window,
  windowFor,
  windows,
} from './history.ts'

const listed = 6

/**
 * Shows what was before: the agent's states as a strip, with alerts above, and below it what changed, newest first. The
 * strip takes the focus; the arrow keys go from change to change, and Enter opens what a change is about.
 */
export function History({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const end = serviceNow()
  const [picked, setPicked] = useState<Window | null>(null)
  const window = picked ?? windowFor(end - page.createdAt)
  const asked = { since: String(askedSince(end, window)) }
  const at = { slug, name: page.name }
  const { data: spans } = useQuery(read('GET /w/:slug/agents/:name/history/states', at, asked))
  const { data: changes } = useQuery(read('GET /w/:slug/agents/:name/history/changes', at, asked))
  const { data: alerts = [] } = useQuery(read('GET /w/:slug/agents/:name/alerts', at))
  if (!spans || !changes) return null
  const start = Math.max(end - windows[window], spans.find(({ is }) => is !== 'unknown')?.from ?? end)
  const lines = linesOf(changes, end)
  const hasAxis = picked !== null || isLong(end - start)
  if (lines.length === 0 && !hasAxis) return null
  return (
    <Section
      title="History"
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
      {hasAxis && <Past {...{ agent, window, start, end, lines, spans, alerts }} />}
      <Lines agent={agent} lines={lines} />
    </Section>
  )
}

interface PastProps {
  agent: Agent
  window: Window
  start: number
  end: number
  lines: readonly ChangeLine[]
  spans: readonly StateSpan[]
  alerts: readonly AlertLine[]
}

/** The strip, and the change to which the arrow keys went. */
function Past({ agent, window, start, end, lines, spans, alerts }: PastProps) {
  const open = useOpen(agent)
  const [chosen, setChosen] = useState<number | null>(null)
  const shown = lines.filter(({ at }) => at >= start)
  const line = chosen === null ? undefined : shown[chosen]
  const raised = alerts.filter((alert) => (alert.endedAt ?? end) > start)
  const known = spans
    .filter(({ until }) => until > start)
    // The last span lasts until the next answer says otherwise.
    .map((span, i, all) => ({
      ...span,
      from: Math.max(start, span.from),
      until: i === all.length - 1 ? Math.max(end, span.until) : span.until,
    }))
  const summary = summaryOf(known)
  const since = agent.page.statesSince

  const move = (event: KeyboardEvent) => {
    const last = shown.length - 1
    // The lines begin with the newest one, which is on the right.
    const to = { ArrowLeft: (chosen ?? -1) + 1, ArrowRight: (chosen ?? last + 1) - 1, Home: last, End: 0 }[event.key]
    if (event.key === 'Escape') setChosen(null)
    if (event.key === 'Enter' && line?.target) open(line.target)
    if (to === undefined || last < 0) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(last, to)))
  }
  return (
    <>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: the arrow keys go from change to change */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
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
          marks={marksOf(start, end)}
          at={line?.at}
          above={raised.map((alert) => alertSpan(alert, end))}
          spans={known
            .filter(({ is }) => is !== 'unknown')
            .map((span) => ({
              from: span.from,
              to: span.until,
              color: colorOf(span),
              hatched: span.is === 'paused',
              words: spanWords(span, end),
            }))}
        />
      </div>
      {/* biome-ignore-end lint/a11y/useSemanticElements: a fieldset is for inputs */}
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: the arrow keys go from change to change */}
      <p className="ag-quiet ag-shares" aria-live="polite">
        {line ? <Chosen line={line} /> : summary || 'Less than an hour is known.'}
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

const Chosen = ({ line: { at, level, words } }: { line: ChangeLine }) => (
  <>
    {level !== null && <Level level={level} />} {words !== '' && <Text>{words}</Text>}, {exactTime(at)}
  </>
)

function Lines({ agent, lines }: { agent: Agent; lines: readonly ChangeLine[] }) {
  const [all, setAll] = useState(false)
  return (
    <>
      <ol className="svc-list ag-changes">
        {(all ? lines : lines.slice(0, listed)).map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes have no id, and two may be equal
          <li key={`${line.at}-${i}`}>
            <span className="ag-change">
              {line.level !== null && <Level level={line.level} />}
              {line.words !== '' && <Words agent={agent} line={line} />}
            </span>
            <span className="ag-quiet">
              <Time at={line.at} />
            </span>
          </li>
        ))}
      </ol>
      {lines.length > listed && (
        <button type="button" className="ag-more" onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `All ${lines.length} changes`}
        </button>
      )}
    </>
  )
}

function Words({ agent: { slug, page }, line: { words, target } }: { agent: Agent; line: ChangeLine }) {
  const text = <Text>{words}</Text>
  if (target === null) return text
  const link = linkTo(target, slug, page.name)
  return <AnchorLink {...link}>{text}</AnchorLink>
}

/** The address of the thing that a change is about. */
function linkTo(target: Target, slug: string, name: string) {
  if (target.to === 'rollout') return { to: paths.rollout, params: { slug, id: target.id } } as const
  if (target.to === 'alerts')
    return { to: paths.alerts, params: { slug }, search: target.ended ? { tab: 'history' } : {} } as const
  const { tab, run } = target
  return { to: paths.agent, params: { slug, name }, search: { tab, ...(run !== undefined && { run }) } } as const
}

/** Makes a function that opens the page of the thing that a change is about. */
function useOpen({ slug, page }: Agent): (target: Target) => void {
  const navigate = useNavigate()
  return (target) => void navigate(linkTo(target, slug, page.name))
}

/** An alert as a line above the strip, from the alert's opening to its end, or to now if it is open. */
const alertSpan = (alert: AlertLine, end: number) => ({
  from: alert.openedAt ?? alert.since,
  to: alert.endedAt ?? end,
  color: colors[alert.level],
  words: `Alert: ${statementOf(alert)}\n${exactTime(alert.openedAt ?? alert.since)} to ${alert.endedAt === null ? 'now' : exactTime(alert.endedAt)}`,
})

const colors: Readonly<Record<LevelName, string>> = {
  ok: 'var(--svc-ok)',
  info: 'var(--svc-info)',
  warn: 'var(--svc-warn)',
  bad: 'var(--svc-bad)',
}

const colorOf = ({ is, level }: StateSpan): string =>
  is === 'offline' || is === 'stopped' || level === null ? 'var(--svc-offline)' : colors[level]
