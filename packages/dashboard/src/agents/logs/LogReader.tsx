import { ActionIcon, Button, Loader, Switch, TextInput } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import { sizeText } from '@svc/protocol'
import { IconChevronDown, IconChevronUp, IconDownload, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { addressFor } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { ErrorNote, exactTime, Text, Time } from '../../ui/index.ts'
import { count, figure } from '../../ui/time/format.ts'
import {
  findMatches,
  logPiecesOf,
  logRowsOf,
  matchesByRow,
  maxMatches,
  type ShownLogRow,
  splitLogTime,
  stepToMatch,
} from './search.ts'

interface LogReaderProps {
  slug: string
  name: string
  id: string
}

/** Shows one log, with search, wrapping and download. The content of the log is never taken for markup. */
export default function LogReader({ slug, name, id }: LogReaderProps) {
  // A log never changes and may have half a megabyte, so it is never loaded again.
  const {
    data: log,
    error,
    refetch,
  } = useQuery({
    ...read('GET /w/:slug/agents/:name/logs/:id', { slug, name, id }),
    staleTime: 'static',
    // While a log is followed, the shown copy stays until the next one is loaded.
    placeholderData: keepPreviousData,
  })
  const [wanted, setWanted] = useState('')
  const [searched] = useDebouncedValue(wanted, 120)
  const isNarrow = useMediaQuery('(max-width: 37.49em)', false, { getInitialValueInEffect: false })
  const [chosenWrap, setWrap] = useState<boolean>()
  // Lines are wrapped by default if the window is narrow.
  const wrap = chosenWrap ?? isNarrow
  const rows = useMemo(() => logRowsOf(log?.text ?? ''), [log])
  const matches = useMemo(() => findMatches(rows, searched), [rows, searched])
  const marked = useMemo(() => matchesByRow(matches), [matches])
  const [at, setAt] = useState<{ searched: string; index: number } | null>(null)
  if (error) return <ErrorNote error={error} retry={refetch} />
  if (!log) return <Loader size="sm" role="status" aria-label="Loading the log" />

  const index = at?.searched === searched && at.index < matches.length ? at.index : matches.length > 0 ? 0 : null
  const go = (by: 1 | -1) => {
    const to = stepToMatch(matches, index, by)
    if (to !== null) setAt({ searched, index: to })
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
    if (event.key === 'Escape') setWanted('')
  }
  const lines = (rows.at(-1)?.line ?? 0) + 1
  return (
    <article className="svc-card" aria-label={`Log ${log.name}`}>
      <div className="ag-reader-head">
        <div>
          <h2>
            <Text mono>{log.name}</Text>
          </h2>
          <div className="ag-quiet">
            {sizeText(log.bytes)}, {count(lines, 'line')}, arrived <Time at={log.receivedAt} />,{' '}
            <span title={exactTime(log.expiresAt)}>kept until {day(log.expiresAt)}</span>
          </div>
        </div>
        <Button
          component="a"
          href={addressFor('GET /w/:slug/agents/:name/logs/:id/download', { slug, name, id: id })}
          download
          variant="default"
          size="compact-sm"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          Download
        </Button>
      </div>
      <search className="ag-reader-bar">
        <TextInput
          aria-label="Search in this log"
          placeholder="Search"
          size="xs"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          onKeyDown={keys}
        />
        <ActionIcon
          variant="default"
          aria-label="Previous match"
          disabled={matches.length === 0}
          onClick={() => go(-1)}
        >
          <IconChevronUp size={15} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Next match" disabled={matches.length === 0} onClick={() => go(1)}>
          <IconChevronDown size={15} aria-hidden />
        </ActionIcon>
        <span className="ag-quiet ag-found" role="status">
          {searched !== '' && foundText(matches.length, index)}
        </span>
        <Switch size="xs" label="Wrap" checked={wrap} onChange={(event) => setWrap(event.currentTarget.checked)} />
      </search>
      <LogLines
        rows={rows}
        marked={marked}
        at={index}
        row={index === null ? null : (matches[index]?.row ?? null)}
        wrap={wrap}
      />
    </article>
  )
}

const foundText = (all: number, index: number | null) => {
  if (index === null) return 'no matches'
  return `${figure(index + 1)} of ${figure(all)}${all === maxMatches ? ' or more' : ''}`
}

const day = (at: number) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }).format(at)

interface LogLinesProps {
  rows: readonly ShownLogRow[]
  marked: ReadonlyMap<number, { from: number; to: number; at: number }[]>
  /**
   * `at` is the index of the selected match among all matches, and `row` the index of the row in which that match
   * starts; both are null without a match.
   */
  at: number | null
  row: number | null
  wrap: boolean
}

const lineHeight = 19

/**
 * Shows the rows of a log. Only the rows in sight are drawn. The view starts at the end of the log, which matters most.
 */
function LogLines({ rows, marked, at, row, wrap }: LogLinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 30,
  })
  // The box comes into sight only once, so that a person can scroll elsewhere while they follow the log.
  useEffect(() => void scroller.current?.scrollIntoView({ block: 'nearest' }), [])
  const last = rows.length - 1
  const end = useRef(virtual)
  end.current = virtual
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log of the same length also starts at its end
  useEffect(() => {
    if (last > 0) end.current.scrollToIndex(last, { align: 'end' })
  }, [last, rows])
  useEffect(() => {
    if (row !== null && at !== null) end.current.scrollToIndex(row, { align: 'center' })
  }, [row, at])
  // biome-ignore lint/correctness/useExhaustiveDependencies: wrapping changes every height that was measured
  useEffect(() => end.current.measure(), [wrap])

  const items = virtual.getVirtualItems()
  const digits = String((rows.at(-1)?.line ?? 0) + 1).length
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the log is scrolled with the keyboard
    <section ref={scroller} className="ag-log svc-in-sight" data-wrap={wrap} tabIndex={0} aria-label="Lines of the log">
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        <div className="ag-log-window" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map((item) => {
            const { line, start, text } = rows[item.index] ?? { line: 0, start: 0, text: '' }
            return (
              <div key={item.key} ref={virtual.measureElement} data-index={item.index} className="ag-log-line">
                <span className="ag-log-number" style={{ minWidth: `${digits}ch` }} aria-hidden>
                  {start === 0 ? line + 1 : ''}
                </span>
                <bdi>
                  {logPiecesOf(text, marked.get(item.index) ?? []).map((piece, i) =>
                    piece.at !== null ? (
                      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one line, in order
                      <mark key={i} data-at={piece.at === at}>
                        {piece.text}
                      </mark>
                    ) : i === 0 && start === 0 ? (
                      <LineStart key="start" text={piece.text} />
                    ) : (
                      piece.text
                    ),
                  )}
                </bdi>
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}

/** The start of a line. In a narrow window, it shows only the time of day, and the whole time on hover. */
function LineStart({ text }: { text: string }) {
  const parts = splitLogTime(text)
  if (!parts) return text
  const { whole, before, time, after, rest } = parts
  return (
    <>
      <span title={whole}>
        <span className="ag-log-wide">{before}</span>
        {time}
        <span className="ag-log-wide">{after}</span>
      </span>
      {rest}
    </>
  )
}
