import { Select, Switch } from '@mantine/core'
import { useEffect, useId, useState } from 'react'
import { count, serviceNow, useClock } from '../../ui/index.ts'
import { notifyFailed } from '../../ui/notify.tsx'
import { WhyButton } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import { commandStateWords } from '../parts/life.ts'
import { type FollowedLog, followMs, followStep } from './follow.ts'

/**
 * Called with the name of a log when that log is requested. `isFollowed` is true if the page requested it by itself.
 */
export type LogRequestListener = (name: string, isFollowed?: boolean) => void

/** The row in which a person chooses a log, requests it, and follows it. Shows nothing if the agent offers no log. */
export function RequestLog({ agent, onAsked }: { agent: Agent; onAsked: LogRequestListener }) {
  const { page, press } = agent
  const [picked, setPicked] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  const [followed, follow] = useFollow(agent, onAsked)
  const id = useId()
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
    <div className="ag-ask">
      <label htmlFor={id}>Log</label>
      <Select
        id={id}
        data={page.logs}
        value={name}
        onChange={pick}
        allowDeselect={false}
        searchable={page.logs.length > 8}
      />
      <WhyButton
        onClick={() => void ask()}
        why={sending ? 'Sending…' : under ? `Already ${commandStateWords(under).word}.` : null}
      >
        Request log
      </WhyButton>
      <div className="ag-follow">
        <Switch
          label="Follow"
          aria-describedby={`${id}-about`}
          checked={followed?.name === name}
          onChange={({ currentTarget: { checked } }) => follow(checked ? name : null)}
        />
        <span id={`${id}-about`} className="ag-quiet">
          {followed ? (
            <WaitedTime since={followed.since} />
          ) : under ? (
            'Requested. It opens below when it comes'
          ) : (
            'Requests it again for 10 minutes while this tab is visible'
          )}
        </span>
      </div>
    </div>
  )
}

/** The remaining time for which a log is followed. */
function WaitedTime({ since }: { since: number }) {
  const minutes = useClock((now) => Math.max(1, Math.ceil((followMs - (now - since)) / 60_000)))
  return <>Requests it again for {count(minutes, 'more minute')}</>
}

/**
 * Requests a log again and again while a person follows it. Returns the followed log, and a function that follows the
 * log with a name, or none.
 */
function useFollow(
  { page, press }: Agent,
  onAsked: LogRequestListener,
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
