import type { AgentUpdates, UpdateEvent } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { read } from '../../data/queries.ts'
import { ErrorNote, exactTime, Section, Text, Tone } from '../../ui/index.ts'
import '../../updates/updates.css'
import { paths } from '../../paths.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { ClockTime } from '../../ui/time/ClockTime.tsx'
import { eventDetail, updateEventLook } from '../../updates/parts/looks.ts'
import { reasonIn, reasonsOf } from '../../updates/parts/reasons.ts'
import { AskForLog } from '../parts/AskForLog.tsx'
import type { Agent } from '../parts/agent.ts'
import { BlueprintPart } from './BlueprintPart.tsx'
import { RuntimePart } from './RuntimePart.tsx'

/** Shows the agent's versions, the forms to request other versions, and the timeline of updates. */
export default function Updates({ agent }: { agent: Agent }) {
  const { blueprint, runtime } = agent.page.updates
  return (
    <div className="svc-columns up-columns">
      {blueprint && <BlueprintPart agent={agent} update={blueprint} />}
      <RuntimePart agent={agent} update={runtime} />
      <History agent={agent} />
    </div>
  )
}

/** The reasons for the holds and for the outcomes of the last updates, which the cards of the versions show. */
const shownReasons = ({ blueprint, runtime }: AgentUpdates): string[] =>
  [blueprint?.hold, blueprint?.applied, runtime.hold, runtime.applied].flatMap((outcome) =>
    outcome?.message == null ? [] : [reasonIn(outcome.message)],
  )

/** The maximum number of events in the timeline. */
const maxListed = 50

/** Shows the timeline of the agent's versions. Shows nothing for an agent that was neither installed nor updated. */
function History({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const { data, error, refetch } = useQuery(
    read('GET /w/:slug/agents/:name/updates', { slug, name: page.name }, { limit: maxListed }),
  )
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  const { installed } = page.versions
  if (!data || (data.length === 0 && installed === null)) return null
  const wentWrong = data.some(({ kind }) => kind === 'rolled_back' || kind === 'failed')
  return (
    <Section title="Timeline" aside="newest first" flush>
      <Timeline slug={slug} events={data} shown={shownReasons(page.updates)}>
        {installed !== null && data.length < maxListed && (
          <li data-kind="installed">
            <div className="up-event">
              <Tone tone="plain">installed</Tone>
              <Text>{installed}</Text>
              <ByPerson who={page.createdBy} />
              <EventTime at={page.createdAt} />
            </div>
          </li>
        )}
      </Timeline>
      {wentWrong && page.logs.length > 0 && (
        <div className="up-act">
          <span className="svc-quiet">Its last log lines may say more:</span>
          {page.logs.slice(0, 6).map((name) => (
            <AskForLog
              key={name}
              agent={agent}
              name={name}
              words={
                <span>
                  Request log <Text mono>{name}</Text>
                </span>
              }
            />
          ))}
        </div>
      )}
    </Section>
  )
}

interface TimelineProps {
  slug: string
  events: readonly UpdateEvent[]
  /** Reasons that the page shows above the timeline. The timeline does not repeat them. */
  shown: readonly string[]
  /** The list item of the oldest event, the installation. */
  children: ReactNode
}

const ByPerson = ({ who }: { who: string | null }) =>
  who !== null && (
    <span className="svc-quiet">
      by <Text>{who}</Text>
    </span>
  )

const EventTime = ({ at }: { at: number }) => (
  <span className="svc-quiet up-when">
    <ClockTime at={at} seconds />
  </span>
)

/**
 * The history of an agent's versions, newest first: requests, messages from the agent's machine, and outages of the
 * service.
 */
const Timeline = ({ slug, events, shown, children }: TimelineProps) => {
  const reasons = reasonsOf(events, shown)
  return (
    <ol className="svc-rows" aria-label="Timeline of updates">
      {events.map((event) => (
        <li key={event.id} data-kind={event.kind}>
          <div className="up-event">
            <Tone tone={updateEventLook(event.kind).tone}>{updateEventLook(event.kind).word}</Tone>
            <Text>{eventDetail(event)}</Text>
            <ByPerson who={event.by} />
            {event.rollout !== null && (
              <AnchorLink to={paths.rollout} params={{ slug, id: event.rollout }} fz="xs">
                rollout
              </AnchorLink>
            )}
            <EventTime at={event.at} />
          </div>
          {reasons.has(event.id) && (
            <p className="up-message">
              <Text lines>{reasons.get(event.id) ?? ''}</Text>
            </p>
          )}
          {event.serviceAway !== null && (
            <p className="up-message" role="note">
              The service was away from {exactTime(event.serviceAway.from)} to {exactTime(event.serviceAway.to)} during
              the test, which may be why.
            </p>
          )}
        </li>
      ))}
      {children}
    </ol>
  )
}
