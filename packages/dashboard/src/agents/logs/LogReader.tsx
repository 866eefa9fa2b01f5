import { ActionIcon, Button, Loader, Switch, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { sizeText } from '@svc/protocol'
import { IconChevronDown, IconChevronUp, IconDownload, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { addressFor } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { ErrorNote, exact, Text, Time } from '../../ui/index.ts'
import { count, figure } from '../../ui/time/format.ts'
import { LogLines } from './LogLines.tsx'
import { byRow, findIn, maxMatches, rowsOf, step } from './search.ts'

export interface LogReaderProps {
  slug: string
  name: string
  id: string
}

/** Shows one log, with search, wrapping and download. The content of the log is never taken for markup. */
export default function LogReader({ slug, name, id }: LogReaderProps) {
  // A log never changes and may have half a megabyte, so a new report does not make the page load it again.
  const {
    data: log,
    error,
    refetch,
  } = useQuery({ ...read('GET /w/:slug/agents/:name/logs/:id', { slug, name, id }), staleTime: 'static' })
  const [wanted, setWanted] = useState('')
  const [searched] = useDebouncedValue(wanted, 120)
  const [wrap, setWrap] = useState(false)
  const rows = useMemo(() => rowsOf(log?.text ?? ''), [log])
  const matches = useMemo(() => findIn(rows, searched), [rows, searched])
  const marked = useMemo(() => byRow(matches), [matches])
  const [at, setAt] = useState<{ searched: string; place: number } | null>(null)
  if (error) return <ErrorNote error={error} retry={refetch} />
  if (!log) return <Loader size="sm" aria-label="Loading the log" />

  const place = at?.searched === searched && at.place < matches.length ? at.place : matches.length > 0 ? 0 : null
  const go = (by: 1 | -1) => {
    const to = step(matches, place, by)
    if (to !== null) setAt({ searched, place: to })
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
    if (event.key === 'Escape') setWanted('')
  }
  const lines = (rows.at(-1)?.line ?? 0) + 1
  return (
    <article className="svc-card ag-reader" aria-label={`Log ${log.name}`}>
      <div className="ag-reader-head">
        <div>
          <h2>
            <Text mono>{log.name}</Text>
          </h2>
          <div className="ag-quiet">
            {sizeText(log.bytes)}, {count(lines, 'line')}, arrived <Time at={log.receivedAt} />,{' '}
            <span title={exact(log.expiresAt)}>kept until {day(log.expiresAt)}</span>
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
          {searched !== '' && foundText(matches.length, place)}
        </span>
        <Switch size="xs" label="Wrap" checked={wrap} onChange={(event) => setWrap(event.currentTarget.checked)} />
      </search>
      <LogLines
        rows={rows}
        marked={marked}
        at={place}
        row={place === null ? null : (matches[place]?.row ?? null)}
        wrap={wrap}
      />
    </article>
  )
}

const foundText = (all: number, place: number | null) => {
  if (place === null) return 'no matches'
  return `${figure(place + 1)} of ${figure(all)}${all === maxMatches ? ' or more' : ''}`
}

const day = (at: number) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }).format(at)
