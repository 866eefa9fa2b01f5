import { Loader } from '@mantine/core'
import type { AgentUpdates } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { ErrorNote, Section } from '../../ui/index.ts'
import '../../updates/updates.css'
import { reasonIn } from '../../updates/parts/reasons.ts'
import { Timeline } from '../../updates/parts/Timeline.tsx'
import { AskForLog } from '../parts/AskForLog.tsx'
import type { Agent } from '../parts/agent.ts'
import { BlueprintPart } from './BlueprintPart.tsx'
import { RuntimePart } from './RuntimePart.tsx'

/** Shows the agent's versions, the forms to request other versions, and the timeline of updates. */
export default function Updates({ agent }: { agent: Agent }) {
  const { blueprint, runtime } = agent.page.updates
  return (
    <div className="svc-columns">
      <div className="svc-column">
        {blueprint && <BlueprintPart agent={agent} update={blueprint} />}
        <RuntimePart agent={agent} update={runtime} />
      </div>
      <div className="svc-column">
        <History agent={agent} />
      </div>
    </div>
  )
}

/** The reasons that the cards of the versions show: of their holds, and of their last attempts. */
const shownReasons = ({ blueprint, runtime }: AgentUpdates): string[] =>
  [blueprint?.hold, blueprint?.applied, runtime.hold, runtime.applied].flatMap((outcome) =>
    outcome?.message == null ? [] : [reasonIn(outcome.message)],
  )

function History({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const { data, error, refetch } = useQuery(
    read('GET /w/:slug/agents/:name/updates', { slug, name: page.name }, { limit: 50 }),
  )
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  const wentWrong = data?.some(({ kind }) => kind === 'rolled_back' || kind === 'failed')
  return (
    <Section title="Timeline" aside={data && data.length > 0 ? 'newest first' : undefined} flush>
      {!data && <Loader size="sm" m="md" aria-label="Loading" />}
      {data?.length === 0 && (
        <p className="up-note">Nothing yet. Requests, downloads, tests and outcomes will appear here.</p>
      )}
      {data && data.length > 0 && <Timeline slug={slug} events={data} shown={shownReasons(page.updates)} />}
      {wentWrong && page.logs.length > 0 && (
        <div className="up-act">
          <span className="svc-quiet">Its last log lines may say more:</span>
          {page.logs.slice(0, 6).map((name) => (
            <AskForLog key={name} agent={agent} name={name} words={`Request log ${name}`} />
          ))}
        </div>
      )}
    </Section>
  )
}
