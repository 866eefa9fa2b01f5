import { Button, SegmentedControl } from '@mantine/core'
import type { DeliveryRow, DeliveryState } from '@svc/api'
import { IconSend } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../data/api.ts'
import { leftOffIn } from '../data/left-off.ts'
import { read } from '../data/queries.ts'
import { count, Empty, LeftOut, Section, Text, Time, Tone } from '../ui/index.ts'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { DottedParts } from '../ui/parts.tsx'
import type { AlertTabProps } from './parts/props.ts'
import { useAlertChange } from './parts/useAlertChange.ts'

const states: Readonly<Record<DeliveryState, { word: string; tone: string }>> = {
  waiting: { word: 'waiting', tone: 'waiting' },
  sent: { word: 'sent', tone: 'good' },
  dead: { word: 'dead', tone: 'no' },
}
const choices = [
  { value: 'all', label: 'All' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'sent', label: 'Sent' },
  { value: 'dead', label: 'Dead' },
]

/**
 * Lists the messages of the last 30 days to channels, newest first, at most 200. A message that the service has given
 * up (state "dead") can be sent again here.
 */
export default function DeliveriesTab({ slug }: AlertTabProps) {
  const [wanted, setWanted] = useState('all')
  const state = wanted === 'all' ? undefined : (wanted as DeliveryState)
  const query = useQuery(read('GET /w/:slug/deliveries', { slug }, { state, limit: 200 }))
  const { data } = query
  return (
    <>
      <div>
        <SegmentedControl size="xs" data={choices} value={wanted} onChange={setWanted} aria-label="State" />
      </div>
      <QueryState of={query} />
      {data &&
        (data.length === 0 ? (
          <Empty icon={IconSend} title="No deliveries" help="alerts#send-it-somewhere">
            Each message to a channel is listed here, with the answer of its receiver.
          </Empty>
        ) : (
          <Section title="Deliveries" aside="kept for 30 days" flush>
            <ul className="svc-rows" aria-label="Deliveries">
              {data.map((delivery) => (
                <DeliveryLine key={delivery.id} slug={slug} delivery={delivery} />
              ))}
            </ul>
            <LeftOut rows={leftOffIn(data)} what={['delivery', 'deliveries']} />
          </Section>
        ))}
    </>
  )
}

function DeliveryLine({ slug, delivery }: { slug: string; delivery: DeliveryRow }) {
  const { id, channel, kind, state, attempt, lastAnswer, title, createdAt, dueAt } = delivery
  const retry = useAlertChange(slug, 'Not sent', () => call('POST /w/:slug/deliveries/:id/retry', { slug, id }))
  const parts: ReactNode[] = [
    <strong key="channel">#{channel}</strong>,
    <Time key="made" at={createdAt} />,
    attempt > 1 && count(attempt, 'try', 'tries'),
    state === 'waiting' && dueAt !== null && (
      <>
        next try <Time at={dueAt} />
      </>
    ),
    lastAnswer !== null && (
      <>
        {state !== 'sent' && 'answer: '}
        <Text>{lastAnswer}</Text>
      </>
    ),
  ]
  return (
    <li className="al-item al-line">
      <span className="al-state">
        <Tone tone={states[state].tone}>{states[state].word}</Tone>
      </span>
      <div className="al-words">
        <div>
          <Text>{title ?? (kind === 'test' ? 'Test' : 'Waits for other changes, to be sent together')}</Text>
        </div>
        <div className="svc-quiet">
          <DottedParts parts={parts} />
        </div>
      </div>
      {state === 'dead' && (
        <div className="al-acts">
          <Button
            variant="default"
            size="compact-sm"
            loading={retry.busy}
            onClick={() => retry.submit()}
            aria-label={`Send again to #${channel}`}
          >
            Send again
          </Button>
        </div>
      )}
    </li>
  )
}
