import { sizeText } from '@svc/protocol'
import './logs.css'
import type { LogEntry } from '@svc/api'
import { IconFileText, IconSend, IconServer } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { read } from '../../data/queries.ts'
import { lazyPart } from '../../ui/files.tsx'
import { count, Empty, ErrorNote, PlainTime, Text, useInSight } from '../../ui/index.ts'
import { Tone } from '../../ui/parts.tsx'
import { type Agent, useAgentPageParams } from '../parts/agent.ts'
import { commandStateWords } from '../parts/life.ts'
import { type AwaitedLog, arrivedLog, type FoldedLogs, foldLogs } from './follow.ts'
import { type LogRequestListener, RequestLog } from './RequestLog.tsx'

const LogReader = lazyPart(() => import('./LogReader.tsx'))

/**
 * Shows the logs of an agent to admins, who can request one, see it arrive, and read it (2.8). Logs are kept for 30
 * days.
 */
export default function Logs({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const params = useAgentPageParams()
  const { data, error, refetch } = useQuery(read('GET /w/:slug/agents/:name/logs', { slug, name: page.name }))
  const chosen = params.text('log')
  const shown = useShownLog(chosen, data)
  const chosenName = data?.find(({ id }) => id === chosen)?.name
  const asked = useArrivals(data, shown, ({ id, name }, isFollowed) => {
    // If the person has opened another log, that log stays open.
    if (isFollowed && chosenName !== undefined && chosenName !== name) return
    params.go({ log: id, find: undefined })
  })
  const pending = page.open.filter(({ type }) => type === 'log')
  const listed = foldLogs(data ?? [])
  const list = useInSight<HTMLUListElement>('[aria-current="true"]', `${shown} ${pending.length} ${data?.length}`)
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  // A narrow window hides a list with one log, which would only repeat the head of that log.
  const isSingle = shown !== '' && listed.length === 1 && listed[0]?.earlier.length === 0
  const offersNone = page.logs.length === 0 && listed.length === 0
  if (data && offersNone && pending.length === 0 && !shown)
    return (
      <Empty icon={IconFileText} title="No logs available" order={2} help="page#logs">
        The agent decides which logs it offers.
      </Empty>
    )
  return (
    <>
      <RequestLog agent={agent} onAsked={asked} />
      <div className="ag-logs" data-listed={listed.length + pending.length > 0} data-single={isSingle}>
        <ul className="svc-list ag-log-list" aria-label="Logs" ref={list}>
          {pending.map((command) => (
            <li key={command.id} className="ag-log-waiting">
              <Text mono>{String((command.payload as { name?: unknown }).name ?? '')}</Text>
              <Tone tone="waiting" title={commandStateWords(command).means}>
                {commandStateWords(command).word}
              </Tone>
            </li>
          ))}
          {listed.map((logs) => (
            <li key={(logs.earlier.at(-1) ?? logs.newest).id}>
              <LogItem logs={logs} chosen={shown} open={(id) => params.go({ log: id, find: undefined })} />
            </li>
          ))}
        </ul>
        <div className="ag-logs-main">
          {shown ? (
            <Suspense>
              <LogReader key={keyOf(data ?? [], shown)} slug={slug} name={page.name} id={shown} />
            </Suspense>
          ) : (
            data && <OpensInPage isComing={pending.length > 0} />
          )}
        </div>
      </div>
    </>
  )
}

/**
 * Returns the id of the log that is shown. If the address names none, it stays the log that was the newest when the tab
 * first had one to show, so that new logs do not replace what somebody reads.
 */
function useShownLog(chosen: string, logs: readonly LogEntry[] | undefined): string {
  const [first, setFirst] = useState<string>()
  const newest = logs?.[0]?.id ?? ''
  if (newest !== '' && first === undefined) setFirst(newest)
  return chosen || (first ?? newest)
}

/** Shows the steps from a request to the log, in the place where a log opens. */
const OpensInPage = ({ isComing }: { isComing: boolean }) => (
  <div className="svc-card ag-log-place">
    <h2>{isComing ? 'The log opens here when it comes' : 'No log requested yet'}</h2>
    <ol className="svc-list ag-log-way" aria-label="The way of a log">
      {way.map(({ icon: Icon, step, says }, i) => (
        <li key={step} data-done={isComing && i === 0}>
          <Icon size={22} stroke={1.5} aria-hidden />
          <strong>{step}</strong>
          <span className="ag-quiet">{says}</span>
        </li>
      ))}
    </ol>
  </div>
)

const way = [
  { icon: IconSend, step: 'You request it', says: 'The agent gets the request with its next report.' },
  { icon: IconServer, step: 'The machine sends its end', says: 'At most 512 KB, with secrets masked.' },
  { icon: IconFileText, step: 'It opens here', says: 'It is kept for 30 days, for admins only.' },
] as const

interface LogItemProps {
  logs: FoldedLogs
  chosen: string
  open: (id: string) => void
}

/** Lists the newest of several logs that `foldLogs` put together, and the earlier ones once a person opens them. */
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

/**
 * Returns the React key of the reader. It is the name of the log, so that the reader keeps its search when a newer log
 * of that name opens.
 */
const keyOf = (logs: readonly LogEntry[], chosen: string): string =>
  logs.find(({ id }) => id === chosen)?.name ?? chosen

/**
 * Calls `open` when the most recently requested log arrives. Returns a function that must be called with the name of a
 * log when that log is requested.
 */
function useArrivals(
  logs: readonly LogEntry[] | undefined,
  shown: string,
  open: (log: LogEntry, isFollowed: boolean) => void,
): LogRequestListener {
  const [waiting, setWaiting] = useState<AwaitedLog | null>(null)
  const arrived = waiting && logs ? arrivedLog(waiting, logs) : undefined
  useEffect(() => {
    if (arrived === undefined) return
    setWaiting(null)
    open(arrived, waiting?.isFollowed === true)
  }, [arrived, waiting, open])
  // The shown log may be newer than the list, so it is added.
  return (name, isFollowed = false) =>
    setWaiting({ name, before: new Set([shown, ...(logs ?? []).map(({ id }) => id)]), isFollowed })
}
