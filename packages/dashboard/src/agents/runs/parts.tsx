/** Components that show parts of a run, such as its start or its details, in a table and in cards. */
import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { LogEntry } from '@svc/api'
import { type Run, runSeconds } from '@svc/protocol'
import { IconCheck, IconLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../data/queries.ts'
import { Cost, dateAndTime, lastingText, serviceNow, Text, Time, UntrustedLink, useClock } from '../../ui/index.ts'
import { Scroll, Tone, WhyButton } from '../../ui/parts.tsx'
import { tokensText } from '../../ui/time/format.ts'
import { type AwaitedLog, arrivedLog } from '../logs/follow.ts'
import { Subjects } from '../overview/Subjects.tsx'
import { AskForLog } from '../parts/AskForLog.tsx'
import type { Agent } from '../parts/agent.ts'
import { commandStateWords } from '../parts/life.ts'
import { runTone } from '../parts/tones.ts'

/** Shows when a run started: the date with the time of day, and how long ago that is. */
export function RunStarted({ run }: { run: Run }) {
  if (run.started === undefined) return null
  const at = run.started * 1000
  const isTime = !Number.isNaN(new Date(at).getTime())
  return (
    <>
      {isTime && <span className="ag-started">{dateAndTime(at, serviceNow())}</span>}{' '}
      <span className="ag-quiet">
        <Time at={at} />
      </span>
    </>
  )
}

export const RunStatus = ({ run }: { run: Run }) =>
  run.status === undefined || run.status === '' ? null : (
    <Tone tone={runTone(run.status)}>
      <Text>{run.status}</Text>
    </Tone>
  )

/**
 * Shows the duration of a run that has ended, or the growing time since the start of a run in progress. Shows nothing
 * for other runs, nor for a run in progress while the agent is offline.
 */
export function RunLength({ run, agent }: { run: Run; agent: Agent }) {
  const length = runSeconds(run)
  if (length !== undefined) return <>{lastingText(length * 1000)}</>
  return run.started !== undefined &&
    run.ended === undefined &&
    run.status !== undefined &&
    !agent.offline &&
    runTone(run.status) === 'waiting' ? (
    <Ticking since={run.started} />
  ) : null
}

function Ticking({ since }: { since: number }) {
  return <>{useClock((now) => lastingText(now - since * 1000))}</>
}

/** Shows the first subject of a run, and the number of further ones. */
export function FirstSubject({ run }: { run: Run }) {
  const [first, ...more] = run.subjects ?? []
  if (!first) return null
  return (
    <span className="ag-first-subject">
      <UntrustedLink title={first.title} url={first.url} host={false} />
      {more.length > 0 && <MoreCount count={more.length} />}
    </span>
  )
}

/** Shows how many subjects or models are left out here. The details of the run list them. */
export const MoreCount = ({ count }: { count: number }) => (
  <span className="ag-quiet ag-nowrap" title={`and ${count} more`}>
    {' '}
    +{count}
  </span>
)

/** The models of a run with the cost of each, the most expensive first. */
export const modelsOf = (run: Run) => Object.entries(run.models ?? {}).sort((a, b) => b[1] - a[1])

export function RunDetails({ run, agent }: { run: Run; agent: Agent }) {
  const models = modelsOf(run)
  return (
    <div className="ag-run-details">
      {run.subjects && run.subjects.length > 0 && (
        <div>
          <h3>Subjects</h3>
          <Subjects subjects={run.subjects} />
        </div>
      )}
      {models.length > 0 && (
        <div>
          <h3>Cost by model</h3>
          <dl className="svc-kv svc-kv-small">
            {models.map(([model, cost]) => (
              <div key={model}>
                <dt>
                  <Text>{model}</Text>
                </dt>
                <dd>
                  <Cost usd={cost} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      <FailedRunOutput run={run} agent={agent} />
      <div>
        <h3>Run</h3>
        <dl className="svc-kv svc-kv-small">
          <div>
            <dt>Id</dt>
            <dd>
              <Text mono>{run.id}</Text> <CopyLink />
            </dd>
          </div>
          {run.output_tokens !== undefined && (
            <div>
              <dt>Output tokens</dt>
              <dd>{run.output_tokens.toLocaleString('en')}</dd>
            </div>
          )}
          {run.ended !== undefined && (
            <div>
              <dt>Ended</dt>
              <dd>
                <Time at={run.ended * 1000} />
              </dd>
            </div>
          )}
          {run.log !== undefined && (
            <div>
              <dt>Log</dt>
              <dd>
                <Text mono>{run.log}</Text> <AskForLog agent={agent} name={run.log} />
              </dd>
            </div>
          )}
        </dl>
      </div>
    </div>
  )
}

/** A button that copies the address of the page, which names the open run. */
function CopyLink() {
  const clipboard = useClipboard({ timeout: 2000 })
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={clipboard.copied ? <IconCheck size={12} aria-hidden /> : <IconLink size={12} aria-hidden />}
      onClick={() => clipboard.copy(window.location.href)}
    >
      {clipboard.copied ? 'Copied' : 'Copy link'}
    </Button>
  )
}

export const RunTokens = ({ run }: { run: Run }) =>
  run.output_tokens === undefined ? null : tokensText(run.output_tokens)

/**
 * Offers admins the end of the output of a failed run. The machine keeps only the output of the last failure of a job,
 * so for other runs nothing is shown.
 */
function FailedRunOutput({ run, agent }: { run: Run; agent: Agent }) {
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
  // A new log is recognized by its id, not by its time, because the clock of the machine may be wrong.
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
        <FailedOutputLines slug={slug} agent={page.name} log={arrived} />
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

function FailedOutputLines({ slug, agent, log }: { slug: string; agent: string; log: LogEntry }) {
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
