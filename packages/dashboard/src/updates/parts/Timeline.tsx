import type { UpdateEvent } from '@svc/api'
import { paths } from '../../paths.ts'
import { exact, Text, Time, Tone } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { reasonsOf } from './reasons.ts'
import { aboutOf, eventWords } from './words.ts'
import '../updates.css'

interface TimelineProps {
  slug: string
  events: readonly UpdateEvent[]
  /** Reasons that the page shows above the timeline, and that are not repeated in it. */
  shown: readonly string[]
}

/**
 * The history of an agent's versions, newest first: requests, messages from the agent's machine, and outages of the
 * service.
 */
export const Timeline = ({ slug, events, shown }: TimelineProps) => {
  const reasons = reasonsOf(events, shown)
  return (
    <ol className="svc-rows" aria-label="Timeline of updates">
      {events.map((event) => (
        <li key={event.id} data-kind={event.kind}>
          <div className="up-event">
            <Tone tone={eventWords[event.kind].tone}>{eventWords[event.kind].word}</Tone>
            <Text>{aboutOf(event)}</Text>
            {event.by !== null && (
              <span className="svc-quiet">
                by <Text>{event.by}</Text>
              </span>
            )}
            {event.rollout !== null && (
              <AnchorLink to={paths.rollout} params={{ slug, id: event.rollout }} fz="xs">
                rollout
              </AnchorLink>
            )}
            <span className="svc-quiet up-when">
              <Time at={event.at} />
            </span>
          </div>
          {reasons.has(event.id) && (
            <p className="up-message">
              <Text lines>{reasons.get(event.id) ?? ''}</Text>
            </p>
          )}
          {event.serviceAway !== null && (
            <p className="up-message" role="note">
              The service was away from {exact(event.serviceAway.from)} to {exact(event.serviceAway.to)} during the
              test, which may be why.
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
