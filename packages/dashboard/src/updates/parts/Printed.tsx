import type { LogEntry } from '@svc/api'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { ErrorNote, serviceNow, Text, Time, useClock, WhyButton } from '../../ui/index.ts'
import { Scroll } from '../../ui/parts.tsx'

interface PrintedProps {
  slug: string
  /** The name of the agent. */
  name: string
  /** The name of the log with the output of the agent. */
  log: string
  why: string | null
}

/** The lines of the log that are shown. */
const shownLines = 20
/** The milliseconds between two checks for the log, and the time after which the page stops checking. */
const lookMs = 3000
const waitMs = 10 * 60_000

/**
 * The log that arrived since it was requested at `askedAt`, a time by the service's clock; `on its way` while the page
 * waits for it, and `late` after that. Undefined if nobody has requested it.
 */
export function requestedLog(
  { name, askedAt }: { name: string; askedAt: number | null },
  logs: readonly LogEntry[] | undefined,
  now: number,
): LogEntry | 'on its way' | 'late' | undefined {
  if (askedAt === null) return undefined
  const arrived = logs?.find((one) => one.name === name && one.receivedAt >= askedAt)
  return arrived ?? (now - askedAt > waitMs ? 'late' : 'on its way')
}

/**
 * A button that requests the output of an agent with a `log` command, and then the last lines of that log. Only admins
 * can press it.
 */
export function PrintedOutput({ slug, name, log, why }: PrintedProps) {
  const client = useQueryClient()
  const [askedAt, setAskedAt] = useState<number | null>(null)
  const { busy, error, submit } = useChange(async () => {
    const { createdAt } = await call(
      'POST /w/:slug/agents/:name/commands',
      { slug, name },
      { type: 'log', payload: { name: log } },
    )
    setAskedAt(createdAt)
    void client.invalidateQueries({ queryKey: queryKeys.agent(slug, name) })
  })
  const { data: logs } = useQuery({
    ...read('GET /w/:slug/agents/:name/logs', { slug, name }),
    enabled: askedAt !== null,
    refetchInterval: ({ state: { data } }) =>
      requestedLog({ name: log, askedAt }, data, serviceNow()) === 'on its way' ? lookMs : false,
  })
  const isLate = useClock((now) => requestedLog({ name: log, askedAt }, logs, now) === 'late')
  const asked = requestedLog({ name: log, askedAt }, logs, serviceNow())
  if (typeof asked === 'object') return <Lines slug={slug} name={name} id={asked.id} at={asked.receivedAt} />
  return (
    <div className="up-printed">
      <WhyButton
        size="compact-sm"
        variant="default"
        onClick={() => submit()}
        why={why ?? (busy || (askedAt !== null && !isLate) ? 'The log is on its way.' : null)}
        label={`Show what ${name} printed`}
      >
        Show what it printed
      </WhyButton>
      <span className="svc-quiet" role="status">
        {askedAt === null
          ? 'The machine sends its log, which admins can read here for 30 days.'
          : isLate
            ? 'It did not come. The agent may be offline, or has refused to send it: its commands say so.'
            : 'The last lines appear here when the machine has sent them, with one of its next reports.'}
      </span>
      {error !== null && <ErrorNote error={error} />}
    </div>
  )
}

function Lines({ slug, name, id, at }: { slug: string; name: string; id: string; at: number }) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/agents/:name/logs/:id', { slug, name, id }))
  if (error) return <ErrorNote error={error} retry={refetch} />
  const lines = (data?.text ?? '').trimEnd().split('\n').slice(-shownLines)
  return (
    <div className="up-printed">
      <Scroll className="up-printed-lines" label={`The last lines that ${name} printed`}>
        <Text lines>{lines.join('\n')}</Text>
      </Scroll>
      <span className="svc-quiet">
        The last {shownLines} lines of its output, <Time at={at} />. The version that runs again may have printed since.
      </span>
    </div>
  )
}
