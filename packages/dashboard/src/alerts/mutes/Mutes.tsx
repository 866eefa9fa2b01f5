import { useQuery } from '@tanstack/react-query'
import { leftOffIn } from '../../data/left-off.ts'
import { read } from '../../data/queries.ts'
import { Help, LeftOut, Section } from '../../ui/index.ts'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import type { AlertTabProps } from '../parts/props.ts'
import { MuteLine } from './MuteLine.tsx'
import { MuteMenu } from './MuteMenu.tsx'

/** Lists the mutes of the workspace that have not ended. Admins can mute the whole workspace here. */
export function Mutes({ slug, admin }: AlertTabProps) {
  const query = useQuery(read('GET /w/:slug/mutes', { slug }))
  const { data } = query
  if (!data) return <QueryState of={query} waiting={null} />
  if (data.length === 0 && !admin) return null
  return (
    <Section title="Mutes" aside={admin && <MuteMenu slug={slug} covered={{ agent: null, rule: null }} />} flush>
      {data.length === 0 ? (
        <p className="svc-note">
          Nothing is muted. Mute an agent or one of its health items beside the alert, and a rule under Rules.{' '}
          <Help about="alerts#acknowledge-and-mute" />
        </p>
      ) : (
        <ul className="svc-rows" aria-label="Mutes">
          {data.map((mute) => (
            <MuteLine key={mute.id} slug={slug} mute={mute} mayLift={admin || mute.agent !== null} />
          ))}
        </ul>
      )}
      <LeftOut rows={leftOffIn(data)} what={['mute']} />
    </Section>
  )
}
