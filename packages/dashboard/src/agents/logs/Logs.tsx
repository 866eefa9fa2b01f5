import { sizeText } from '@svc/protocol'
import './logs.css'
import { Select, Switch } from '@mantine/core'
import type { LogEntry } from '@svc/api'
import { IconFileText } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { read } from '../../data/queries.ts'
import { part } from '../../ui/files.tsx'
import { count, Empty, ErrorNote, PlainTime, serviceNow, Text, useClock } from '../../ui/index.ts'
import { notifyFailed } from '../../ui/notify.tsx'
import { Tone, WhyButton } from '../../ui/parts.tsx'

import { type Agent, useView } from '../parts/agent.ts'
import { wordsOf } from '../parts/life.ts'
import {
  type AwaitedLog,
  arrivedLog,
  type FoldedLogs,
  type FollowedLog,
  foldLogs,
  followMs,
  followStep,
} from './follow.ts'

const LogReader = part(() => import('./LogReader.tsx'))

/**
 * Shows the logs of an agent to admins, who can request one, see it arrive, and read it (2.8). Logs are kept for 30
 * days.
 */
export default function Logs({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const view = useView()
  const { data, error, refetch } = useQuery(read('GET /w/:slug/agents/:name/logs', { slug, name: page.name }))
  const chosen = view.text('log')
  const chosenName = data?.find(({ id }) => id === chosen)?.name
  const asked = useArrivals(data, ({ id, name }, isFollowed) => {
    // Somebody who reads another log meanwhile goes on reading it.
    if (isFollowed && chosenName !== undefined && chosenName !== name) return
    view.go({ log: id, find: undefined })
  })
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  return (
    <div className="svc-columns ag-logs">
      <div className="ag-logs-side">
        <Ask agent={agent} onAsked={asked} />
        <p className="ag-quiet ag-logs-what">
          The machine sends the end of the log, at most 512 kB, with its next report. The log then opens here, and is
          kept for 30 days, for admins only.
        </p>
        {page.logs.length === 0 && (data?.length ?? 0) === 0 && (
          <Empty icon={IconFileText} title="No logs available" order={2} help="page#logs">
            The agent decides which logs it offers.
          </Empty>
        )}
        <ul className="svc-list ag-log-list" aria-label="Logs">
          {page.open
            .filter(({ type }) => type === 'log')
            .map((command) => (
              <li key={command.id} className="ag-log-waiting">
                <Text mono>{String((command.payload as { name?: unknown }).name ?? '')}</Text>
                <Tone tone="waiting" title={wordsOf(command).means}>
                  {wordsOf(command).word}
                </Tone>
              </li>
            ))}
          {foldLogs(data ?? []).map((logs) => (
            <li key={(logs.earlier.at(-1) ?? logs.newest).id}>
              <LogItem logs={logs} chosen={chosen} open={(id) => view.go({ log: id, find: undefined })} />
            </li>
          ))}
        </ul>
      </div>
      <div className="ag-logs-main">
        {chosen ? (
          <Suspense>
            <LogReader key={keyOf(data ?? [], chosen)} slug={slug} name={page.name} id={chosen} />
          </Suspense>
        ) : (
          (data?.length ?? 0) > 0 && <p className="ag-nothing">Choose a log to read.</p>
        )}
      </div>
    </div>
  )
}

interface LogItemProps {
  logs: FoldedLogs
  chosen: string
  open: (id: string) => void
}

/** One log, or several that a person followed. */
function LogItem({ logs: { newest, earlier }, chosen, open }: LogItemProps) {
  const [isOpen, setOpen] = useState(false)
  const isChosen = earlier.some(({ id }) => id === chosen)
  const shown = isOpen || isChosen ? [newest, ...earlier] : [newest]
  return (
    <>
      {shown.map((log) => (
        <button key={log.id} type="button" aria-current={log.id === chosen} onClick={() => open(log.id)}>
          <Text mono>{log.name}</Text>
          <span className="ag-quiet">
            <PlainTime at={log.receivedAt} />, {sizeText(log.bytes)}, requested by <Text>{log.askedBy}</Text>
          </span>
        </button>
      ))}
      {earlier.length > 0 && !isChosen && (
        <button type="button" className="ag-log-earlier" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Only the newest' : `and ${count(earlier.length, 'earlier one')}`}
        </button>
      )}
    </>
  )
}

/** Keeps the reader, with its search, while a newer log of the same name opens in it. */
const keyOf = (logs: readonly LogEntry[], chosen: string): string =>
  logs.find(({ id }) => id === chosen)?.name ?? chosen

function Ask({ agent, onAsked }: { agent: Agent; onAsked: AskedFor }) {
  const { page, press } = agent
  const [picked, setPicked] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  const [followed, follow] = useFollow(agent, onAsked)
  const name = picked !== null && page.logs.includes(picked) ? picked : (page.logs[0] ?? null)
  if (name === null) return null
  const under = press.under({ type: 'log', payload: { name } })
  const ask = async () => {
    setSending(true)
    await press.send({ type: 'log', payload: { name } }).then(
      () => onAsked(name),
      () => undefined,
    )
    setSending(false)
  }
  const pick = (to: string | null) => {
    setPicked(to)
    follow(null)
  }
  return (
    <>
      <div className="ag-ask">
        <Select
          label="Log"
          data={page.logs}
          value={name}
          onChange={pick}
          allowDeselect={false}
          searchable={page.logs.length > 8}
        />
        <WhyButton
          onClick={() => void ask()}
          why={sending ? 'Sending…' : under ? `Already ${wordsOf(under).word}.` : null}
        >
          Request
        </WhyButton>
      </div>
      <Switch
        mt={8}
        label="Follow"
        description={
          followed ? <Left since={followed.since} /> : 'Requests it again for ten minutes while this tab is in sight.'
        }
        checked={followed?.name === name}
        onChange={({ currentTarget: { checked } }) => follow(checked ? name : null)}
      />
    </>
  )
}

/** How long a log is still followed. */
function Left({ since }: { since: number }) {
  const minutes = useClock((now) => Math.max(1, Math.ceil((followMs - (now - since)) / 60_000)))
  return <>Requested again for {count(minutes, 'more minute')}.</>
}

/** Requests a log again and again while a person follows it. Returns that log, and a function that changes it. */
function useFollow(
  { page, press }: Agent,
  onAsked: AskedFor,
): readonly [FollowedLog | null, (name: string | null) => void] {
  const [followed, setFollowed] = useState<FollowedLog | null>(null)
  const isPending = followed !== null && press.under({ type: 'log', payload: { name: followed.name } }) !== undefined
  const interval = page.seenAt === null || page.nextReportAt === null ? 0 : page.nextReportAt - page.seenAt
  const step = useClock((now) =>
    followed === null ? 'wait' : followStep(followed, { now, interval, isPending, isInSight: !document.hidden }),
  )
  useEffect(() => {
    if (followed === null || step === 'wait') return
    if (step === 'over') return setFollowed(null)
    const { name } = followed
    setFollowed({ ...followed, askedAt: serviceNow() })
    press.sendQuietly({ type: 'log', payload: { name } }).then(
      () => onAsked(name, true),
      (error: unknown) => {
        setFollowed(null)
        notifyFailed('No longer followed', error)
      },
    )
  }, [followed, step, press, onAsked])
  return [followed, (name) => setFollowed(name === null ? null : { name, since: serviceNow(), askedAt: null })]
}

/**
 * Calls `open` when the log that was requested last arrives. Returns a function that must be called with the name of a
 * log when that log is requested.
 */
function useArrivals(
  logs: readonly LogEntry[] | undefined,
  open: (log: LogEntry, isFollowed: boolean) => void,
): AskedFor {
  const [waiting, setWaiting] = useState<AwaitedLog | null>(null)
  const arrived = waiting && logs ? arrivedLog(waiting, logs) : undefined
  useEffect(() => {
    if (arrived === undefined) return
    setWaiting(null)
    open(arrived, waiting?.isFollowed === true)
  }, [arrived, waiting, open])
  return (name, isFollowed = false) => setWaiting({ name, before: new Set(logs?.map(({ id }) => id)), isFollowed })
}

type AskedFor = (name: string, isFollowed?: boolean) => void
