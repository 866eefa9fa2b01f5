import { sizeText } from '@svc/protocol'
import './logs.css'
import { Select } from '@mantine/core'
import type { LogEntry } from '@svc/api'
import { IconFileText } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { read } from '../../data/queries.ts'
import { part } from '../../ui/files.tsx'
import { Empty, ErrorNote, PlainTime, Text } from '../../ui/index.ts'
import { Tone, WhyButton } from '../../ui/parts.tsx'

import { type Agent, useView } from '../parts/agent.ts'
import { wordsOf } from '../parts/life.ts'

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
  const asked = useArrivals(data, (id) => view.go({ log: id, find: undefined }))
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  return (
    <div className="svc-columns ag-logs">
      <div className="ag-logs-side">
        <Ask agent={agent} onAsked={asked} />
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
          {data?.map((log) => (
            <li key={log.id}>
              <button
                type="button"
                aria-current={log.id === chosen}
                onClick={() => view.go({ log: log.id, find: undefined })}
              >
                <Text mono>{log.name}</Text>
                <span className="ag-quiet">
                  <PlainTime at={log.receivedAt} />, {sizeText(log.bytes)}, requested by <Text>{log.askedBy}</Text>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <div className="ag-logs-main">
        {chosen ? (
          <Suspense>
            <LogReader key={chosen} slug={slug} name={page.name} id={chosen} />
          </Suspense>
        ) : (
          (data?.length ?? 0) > 0 && <p className="ag-nothing">Choose a log to read.</p>
        )}
      </div>
    </div>
  )
}

function Ask({ agent, onAsked }: { agent: Agent; onAsked: (name: string) => void }) {
  const { page, press } = agent
  const [picked, setPicked] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
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
  return (
    <div className="ag-ask">
      <Select
        label="Log"
        data={page.logs}
        value={name}
        onChange={setPicked}
        allowDeselect={false}
        searchable={page.logs.length > 8}
      />
      <WhyButton
        onClick={() => void ask()}
        why={sending ? 'Sending…' : under ? `Already ${wordsOf(under).word}.` : null}
      >
        {' '}
        Request{' '}
      </WhyButton>
    </div>
  )
}

interface AwaitedLog {
  readonly name: string
  /** The ids of the logs that the service had when this log was requested. */
  readonly before: ReadonlySet<string>
}

/** Finds a requested log in the list of logs: a log of that name that was not listed before the request. */
export const arrivedLog = (waiting: AwaitedLog, logs: readonly LogEntry[]): LogEntry | undefined =>
  logs.find((log) => log.name === waiting.name && !waiting.before.has(log.id))

/**
 * Calls `open` when the log that was requested last arrives. Returns a function that must be called with the name of a
 * log when that log is requested.
 */
function useArrivals(logs: readonly LogEntry[] | undefined, open: (id: string) => void): (name: string) => void {
  const [waiting, setWaiting] = useState<AwaitedLog | null>(null)
  const arrivedId = waiting && logs ? arrivedLog(waiting, logs)?.id : undefined
  useEffect(() => {
    if (arrivedId === undefined) return
    setWaiting(null)
    open(arrivedId)
  }, [arrivedId, open])
  return (name) => setWaiting({ name, before: new Set(logs?.map(({ id }) => id)) })
}
