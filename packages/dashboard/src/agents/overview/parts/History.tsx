import { SegmentedControl } from '@mantine/core'
import type { AlertLine, StateSpan } from '@svc/api'
import { listedChanges } from '@svc/api/left-off'
import { statesByWeight } from '@svc/api/words'
import type { Level as LevelName } from '@svc/protocol'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, Suspense, useRef, useState } from 'react'
import { statementOf } from '../../../alerts/parts/words.ts'
import { read } from '../../../data/queries.ts'
import { paths } from '../../../paths.ts'
import { Strip } from '../../../ui/charts/Strip.tsx'
import { part } from '../../../ui/files.tsx'
import {
  count,
  exactTime,
  Level,
  levelLooks,
  serviceNow,
  Text,
  Time,
  useClock,
  useFocusedPart,
} from '../../../ui/index.ts'
import { AnchorLink } from '../../../ui/links.tsx'
import { Section } from '../../../ui/parts.tsx'
import { type Agent, tabsOf } from '../../parts/agent.ts'
import { useAgentAlerts } from '../../parts/useAgentAlerts.ts'
import {
  type ChangeLine,
  type ChangeTarget,
  changeLinesOf,
  type HistoryWindow,
  historyMarksOf,
  historySince,
  historyWindows,
  isLongEnough,
  spanWords,
  stateSummary,
  windowFor,
} from './history.ts'
import { isSaid } from './StateDetail.tsx'

/** Few agents have so many changes, so this code is loaded separately. */
const LeftOff = part(() => import('./LeftOff.tsx'))

/** The number of changes that are listed below the strip. A press lists all. */
const maxListed = 3

/** The heights of the section without and with a strip in pixels, about, which are kept free until its answers come. */
const listHeight = 162
const chartHeight = 235

/** The shortest known time, in milliseconds, for which the strip of an agent with a level is shown. */
const minStripMs = 60_000

/**
 * Shows what was before: the agent's states as a strip, with alerts above, and below it what changed, newest first. The
 * strip takes the focus; the arrow keys go from change to change, and Enter opens what a change is about.
 */
export function History({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const end = serviceNow()
  const [picked, setPicked] = useState<HistoryWindow | null>(null)
  const window = picked ?? windowFor(end - page.createdAt)
  const [limit, setLimit] = useState<number>(listedChanges.default)
  const [chosen, setChosen] = useState<string | null>(null)
  const strip = useRef<HTMLDivElement>(null)
  const asked = { since: String(historySince(end, window)) }
  const at = { slug, name: page.name }
  const { data: spans, isPending } = useQuery(read('GET /w/:slug/agents/:name/history/states', at, asked))
  // A page that nothing else draws again shows the strip when its first minute is over.
  const isStripDue = useClock((now) => now - knownSince(spans, now) >= minStripMs)
  // While older changes load, the newest ones stay.
  const { data: changes, isPending: isListPending } = useQuery({
    ...read('GET /w/:slug/agents/:name/history/changes', at, { ...asked, limit: String(limit) }),
    placeholderData: keepPreviousData,
  })
  const { data: alerts = [], isPending: isAlertsPending } = useAgentAlerts(agent)
  // The open alerts are above the history, and would move it if they came later.
  if (isPending || isListPending || isAlertsPending)
    return <div style={{ height: isLongEnough(end - page.createdAt) ? chartHeight : listHeight }} />
  if (!spans || !changes) return null
  const start = Math.max(end - historyWindows[window], knownSince(spans, end))
  const lines = changeLinesOf(changes, end, tabsOf(agent))
  const hasTimes = picked !== null || isLongEnough(end - start)
  const hasAxis = hasTimes || (isStripDue && spans.some(({ level }) => level !== null))
  if (lines.length === 0 && !hasAxis) return null
  return (
    <Section
      title="History"
      aside={
        hasTimes && (
          <SegmentedControl
            size="xs"
            data={Object.keys(historyWindows)}
            value={window}
            onChange={(to) => setPicked(to as HistoryWindow)}
            aria-label="How far back"
          />
        )
      }
    >
      {hasAxis && <PastChart {...{ agent, window, start, end, lines, spans, alerts, chosen, setChosen, strip }} />}
      <ChangeList
        agent={agent}
        lines={lines}
        limit={limit}
        marked={(line) => {
          if (!hasAxis || line.at < start) return
          return () => {
            strip.current?.focus()
            setChosen(line.key)
          }
        }}
      />
      {changes.length >= limit && (
        <Suspense>
          <LeftOff limit={limit} onMore={setLimit} />
        </Suspense>
      )}
    </Section>
  )
}

/** The beginning of what is known; `now` if nothing is. */
const knownSince = (spans: readonly StateSpan[] | undefined, now: number): number =>
  spans?.find(({ is }) => is !== 'unknown')?.from ?? now

interface PastProps {
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

/** The strip, and the change to which the arrow keys went. */
function PastChart({ agent, window, start, end, lines, spans, alerts, chosen, setChosen, strip }: PastProps) {
  const open = useOpen(agent)
  const shown = lines.filter(({ at }) => at >= start)
  const place = shown.findIndex(({ key }) => key === chosen)
  const line = shown[place]
  const raised = alerts.filter((alert) => (alert.endedAt ?? end) > start)
  const known = spans
    .filter(({ until }) => until > start)
    // The last span lasts until the next answer says otherwise.
    .map((span, i, all) => ({
      ...span,
      from: Math.max(start, span.from),
      until: i === all.length - 1 ? Math.max(end, span.until) : span.until,
    }))
  const summary = stateSummary(known)
  const since = agent.page.statesSince

  const move = (event: KeyboardEvent) => {
    const last = shown.length - 1
    // The lines begin with the newest one, which is on the right.
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
        {/* Only the change is read out: the shares are different after each answer. */}
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

interface LinesProps {
  agent: Agent
  lines: readonly ChangeLine[]
  /** The maximum number of changes that were asked for. The list gets the focus of the button that raises it. */
  limit: number
  /** Returns a function that marks the change on the strip; nothing if the strip does not have it. */
  marked: (line: ChangeLine) => (() => void) | undefined
}

function ChangeList({ agent, lines, limit, marked }: LinesProps) {
  const list = useFocusedPart<HTMLOListElement>(String(limit))
  const [all, setAll] = useState(false)
  // The top of the page shows the current label.
  const newest = lines.find(({ level }) => level !== null)
  const now = newest && newest.level === agent.page.report?.state?.level && isSaid(agent, newest.words) ? newest : null
  return (
    <>
      <ol ref={list} tabIndex={-1} className="svc-list ag-changes svc-focused-part">
        {(all ? lines : lines.slice(0, maxListed)).map((line) => (
          <li key={line.key}>
            <ChangeEntry
              agent={agent}
              line={line.key === now?.key ? { ...line, words: '' } : line}
              mark={marked(line)}
            />
            <span className="ag-quiet">
              <Time at={line.at} />
            </span>
          </li>
        ))}
      </ol>
      {lines.length > maxListed && (
        <button type="button" className="ag-more" onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `All ${lines.length} changes`}
        </button>
      )}
    </>
  )
}

/** A change as a link to what it is about. One that is about a state marks it on the strip. */
function ChangeEntry({ agent, line, mark }: { agent: Agent; line: ChangeLine; mark: (() => void) | undefined }) {
  const { slug, page } = agent
  const words = line.words !== '' && <Text>{line.words}</Text>
  const level = line.level !== null && <Level level={line.level} />
  if (line.target !== null)
    return (
      <span className="ag-change">
        {level}
        {words && <AnchorLink {...linkTo(line.target, slug, page.name)}>{words}</AnchorLink>}
      </span>
    )
  if (mark === undefined)
    return (
      <span className="ag-change">
        {level}
        {words}
      </span>
    )
  return (
    <button type="button" className="ag-change ag-mark" onClick={mark} title="Show it on the strip">
      {level}
      {words}
    </button>
  )
}

/** The address of the thing that a change is about. */
function linkTo(target: ChangeTarget, slug: string, name: string) {
  if (target.to === 'rollout') return { to: paths.rollout, params: { slug, id: target.id } } as const
  if (target.to === 'alerts')
    return { to: paths.alerts, params: { slug }, search: target.ended ? { tab: 'history' } : {} } as const
  const { tab, run } = target
  return { to: paths.agent, params: { slug, name }, search: { tab, ...(run !== undefined && { run }) } } as const
}

/** Makes a function that opens the page of the thing that a change is about. */
function useOpen({ slug, page }: Agent): (target: ChangeTarget) => void {
  const navigate = useNavigate()
  return (target) => void navigate(linkTo(target, slug, page.name))
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
