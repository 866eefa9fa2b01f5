import { Button } from '@mantine/core'
import type { LogEntry } from '@svc/api'
import type { Run } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../data/queries.ts'
import { Time } from '../../ui/index.ts'
import { Scroll, WhyButton } from '../../ui/parts.tsx'
import { type AwaitedLog, arrivedLog } from '../logs/follow.ts'
import type { Agent } from '../parts/agent.ts'
import { commandStateWords } from '../parts/life.ts'

/**
 * Shows the end of the output of a failed run, to admins who ask for it. The machine keeps it until the next failure,
 * so only the newest run that names this log has it.
 */
export function FailedRunOutput({ run, agent }: { run: Run; agent: Agent }) {
  const name = run.log ?? ''
  const mayHave = name.startsWith('failed/') && agent.page.canAct
  const { data: jobs } = useQuery({
    ...read('GET /w/:slug/agents/:name/jobs', { slug: agent.slug, name: agent.page.name }),
    enabled: mayHave,
  })
  if (!mayHave || !jobs?.some(({ printed }) => printed === run.id)) return null
  return <FailedOutput name={name} agent={agent} />
}

function FailedOutput({ name, agent }: { name: string; agent: Agent }) {
  const { slug, page, press } = agent
  const { data: logs } = useQuery(read('GET /w/:slug/agents/:name/logs', { slug, name: page.name }))
  // The times of a run are those of its machine, whose clock may be wrong, so no times are compared.
  const [waiting, setWaiting] = useState<AwaitedLog | null>(null)
  const under = press.under({ type: 'log', payload: { name } })
  const arrived = waiting && arrivedLog(waiting, logs ?? [])
  const show = () => {
    setWaiting({ name, before: new Set(logs?.map(({ id }) => id)) })
    if (!under) void press.send({ type: 'log', payload: { name } }).catch(() => setWaiting(null))
  }
  return (
    <div className="ag-printed">
      <h3>What it printed</h3>
      {arrived ? (
        <Lines slug={slug} agent={page.name} log={arrived} />
      ) : (
        <>
          <WhyButton
            size="compact-sm"
            variant="default"
            why={waiting && under ? `Already ${commandStateWords(under).word}.` : null}
            onClick={show}
          >
            Show what it printed
          </WhyButton>
          <p className="ag-quiet">
            {waiting
              ? 'It appears here when the machine has sent it.'
              : 'The machine sends the last 20 lines. They are kept here for 30 days, for admins only.'}
          </p>
        </>
      )}
    </div>
  )
}

function Lines({ slug, agent, log }: { slug: string; agent: string; log: LogEntry }) {
  const { data, error, refetch } = useQuery(
    read('GET /w/:slug/agents/:name/logs/:id', { slug, name: agent, id: log.id }),
  )
  if (error)
    return (
      <Button size="compact-sm" variant="default" onClick={() => void refetch()}>
        Load it again
      </Button>
    )
  return (
    <>
      <Scroll className="ag-printed-lines" label="What the run printed">
        <bdi>{data?.text ?? ''}</bdi>
      </Scroll>
      <p className="ag-quiet">
        Arrived <Time at={log.receivedAt} />
      </p>
    </>
  )
}
