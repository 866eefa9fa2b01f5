import { SegmentedControl } from '@mantine/core'
import type { StateSpan } from '@svc/api'
import { listedChanges } from '@svc/api/left-off'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import { read } from '../../../data/queries.ts'
import { lazyPart } from '../../../ui/files.tsx'
import { Level, serviceNow, Text, Time, useClock, useFocusedPart } from '../../../ui/index.ts'
import { AnchorLink } from '../../../ui/links.tsx'
import { Section } from '../../../ui/parts.tsx'
import { type Agent, tabsOf } from '../../parts/agent.ts'
import { useAgentAlerts } from '../../parts/useAgentAlerts.ts'
import {
  addressOfTarget,
  type ChangeLine,
  changeLinesOf,
  type HistoryWindow,
  historySince,
  historyWindows,
  isLongEnough,
  windowFor,
} from './history.ts'
import { isShownAtTop } from './StateDetail.tsx'
import { StateStrip } from './StateStrip.tsx'

/** The note that older changes are left off. Its code is loaded separately, because few agents need it. */
const LeftOff = lazyPart(() => import('./LeftOff.tsx'))

/** The number of changes that are listed until a press on a button lists all. */
const maxListed = 3

/**
 * The approximate heights in pixels that are kept free while the history loads: `list` without a strip, `chart` with
 * one, and `strip` for the strip alone.
 */
const heights = { list: 162, chart: 235, strip: 88 } as const

/** The strip of an agent with a level is shown once its states are known for this many milliseconds. */
const minStripMs = 60_000

/**
 * Shows the agent's states as a strip, and the list of its changes, newest first. `children` are shown below both or,
 * if `isSplit` (on a phone), between the strip and the list.
 */
export function History({ agent, isSplit, children }: { agent: Agent; isSplit: boolean; children: ReactNode }) {
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
  // useClock makes the strip appear when the first minute is over, even if no report arrives.
  const isStripDue = useClock((now) => now - knownSince(spans, now) >= minStripMs)
  // While older changes load, the newest ones stay.
  const { data: changes, isPending: isListPending } = useQuery({
    ...read('GET /w/:slug/agents/:name/history/changes', at, { ...asked, limit: String(limit) }),
    placeholderData: keepPreviousData,
  })
  const { data: alerts = [], isPending: isAlertsPending } = useAgentAlerts(agent)
  // Wait for the alerts, too: they are shown above the history and would push it down if they came later.
  if (isPending || isListPending || isAlertsPending)
    return (
      <>
        <div style={{ height: heights[isSplit ? 'strip' : isLongEnough(end - page.createdAt) ? 'chart' : 'list'] }} />
        {children}
      </>
    )
  if (!spans || !changes) return children
  const start = Math.max(end - historyWindows[window], knownSince(spans, end))
  const lines = changeLinesOf(changes, end, tabsOf(agent))
  const hasTimes = picked !== null || isLongEnough(end - start)
  const hasAxis = hasTimes || (isStripDue && spans.some(({ level }) => level !== null))
  if (lines.length === 0 && !hasAxis) return children
  const times = hasTimes && (
    <SegmentedControl
      size="xs"
      data={Object.keys(historyWindows)}
      value={window}
      onChange={(to) => setPicked(to as HistoryWindow)}
      aria-label="How far back"
    />
  )
  const chart = hasAxis && (
    <StateStrip {...{ agent, window, start, end, lines, spans, alerts, chosen, setChosen, strip }} />
  )
  const list = (
    <>
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
    </>
  )
  return isSplit ? (
    <>
      <div className="ag-strip">
        {chart}
        {times}
      </div>
      {children}
      {lines.length > 0 && <Section title="History">{list}</Section>}
    </>
  ) : (
    <>
      <Section title="History" aside={times}>
        {chart}
        {list}
      </Section>
      {children}
    </>
  )
}

/** The start of the first span whose state is known; `now` if there is none. */
const knownSince = (spans: readonly StateSpan[] | undefined, now: number): number =>
  spans?.find(({ is }) => is !== 'unknown')?.from ?? now

interface LinesProps {
  agent: Agent
  lines: readonly ChangeLine[]
  /** The maximum number of changes that were requested. The list takes the focus when this number rises. */
  limit: number
  /** Returns a function that marks the change on the strip; undefined if the strip does not show the change. */
  marked: (line: ChangeLine) => (() => void) | undefined
}

function ChangeList({ agent, lines, limit, marked }: LinesProps) {
  const list = useFocusedPart<HTMLOListElement>(String(limit))
  const [all, setAll] = useState(false)
  // The newest level is listed without its words if the top of the page shows them.
  const newest = lines.find(({ level }) => level !== null)
  const now =
    newest && newest.level === agent.page.report?.state?.level && isShownAtTop(agent, newest.words) ? newest : null
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

/** A change as a link to its target. Without a target it is a button that calls `mark`; without `mark` it is text. */
function ChangeEntry({ agent, line, mark }: { agent: Agent; line: ChangeLine; mark: (() => void) | undefined }) {
  const { slug, page } = agent
  const words = line.words !== '' && <Text>{line.words}</Text>
  const level = line.level !== null && <Level level={line.level} />
  if (line.target !== null)
    return (
      <span className="ag-change">
        {level}
        {words && <AnchorLink {...addressOfTarget(line.target, slug, page.name)}>{words}</AnchorLink>}
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
