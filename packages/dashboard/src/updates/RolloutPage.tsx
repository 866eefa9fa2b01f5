import type { RolloutPage as Rollout } from '@svc/api'
import { IconMoodEmpty } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ApiError } from '../data/api.ts'
import { read } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { lastingText, Text, Time, Tone, useClock, useDocumentTitle } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { NotThere } from '../ui/pages/NotThere.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { rolloutWords, upToWords } from './parts/looks.ts'
import { PrintedOutput } from './parts/Printed.tsx'
import { RolloutActs } from './RolloutActs.tsx'
import { isReasonShownAbove, RolloutAgents, whyNoLogs } from './RolloutAgents.tsx'
import { RolloutCounts } from './RolloutBar.tsx'
import { rolloutTitleOf } from './UpdatesPage.tsx'
import { WavesBar } from './WavesBar.tsx'
import './updates.css'
import './updates-page.css'

const route = getRouteApi('/signed-in/w/$slug/updates/$id')

/** Shows a rollout: what it waits for, why it halted, which agents have the version, and what an admin can do. */
export function RolloutPage() {
  const { slug, id } = route.useParams()
  const query = useQuery(read('GET /w/:slug/rollouts/:id', { slug, id }))
  const { data: rollout, error } = query
  useDocumentTitle(rollout ? rolloutTitleOf(rollout) : 'Rollout', 'Updates')
  if (error instanceof ApiError && error.status === 404)
    return (
      <NotThere slug={slug} back="updates" icon={IconMoodEmpty} title="Rollout not found">
        Rollouts are kept for 400 days after they end.
      </NotThere>
    )
  if (!rollout) return <QueryState of={query} />
  const { word, tone } = rolloutWords[rollout.state]
  const failed = rollout.agents.find((agent) => isReasonShownAbove(rollout, agent))
  return (
    <>
      <header className="up-head">
        <AnchorLink to={paths.updates} params={{ slug }} fz="xs" c="dimmed">
          Updates
        </AnchorLink>
        <div className="up-title">
          <h1>
            <Text>{rolloutTitleOf(rollout)}</Text>
          </h1>
          <Tone tone={tone}>{word}</Tone>
        </div>
        <p className="svc-quiet">
          started <Time at={rollout.createdAt} /> by <Text>{rollout.createdBy}</Text>
          {rollout.continuedBy !== null && (
            <>
              , resumed by <Text>{rollout.continuedBy}</Text>
            </>
          )}
          ; {wavesWords(rollout)}
        </p>
      </header>
      <div className="svc-column">
        <article className="svc-card up-rollout-head" aria-label="Status">
          <div role="status">
            <span className="svc-hidden">{word}</span>
            <p>
              <Text>{rollout.says}</Text> {rollout.nextAt !== null && <WatchEnd at={rollout.nextAt} />}
            </p>
          </div>
          {failed?.printed && (
            <PrintedOutput
              slug={slug}
              name={failed.agent}
              log={failed.printed}
              why={rollout.canAct ? null : whyNoLogs}
            />
          )}
          <WavesBar rollout={rollout} />
          {!isAllKept(rollout) && <RolloutCounts counts={rollout.counts} agents={rollout.agents} />}
          <RolloutActs slug={slug} rollout={rollout} />
        </article>
        <RolloutAgents slug={slug} rollout={rollout} />
      </div>
    </>
  )
}

const wavesWords = ({ upTo, byHand, watchSeconds }: Rollout): string =>
  `waves: ${upTo.map(upToWords).join(', ')}; ${byHand ? 'each waits for approval' : watchSeconds === 0 ? 'not watched' : `each watched for ${lastingText(watchSeconds * 1000)}`}`

/** True if the rollout is done and all agents kept the version. `rollout.says` says so, and the counts are left out. */
const isAllKept = ({ state, counts, agents }: Rollout): boolean => state === 'done' && counts.kept === agents.length

const WatchEnd = ({ at }: { at: number }) => {
  const left = useClock((now) => Math.max(0, Math.ceil((at - now) / 60_000)))
  return <>The watch ends {left === 0 ? 'within a minute' : `in about ${lastingText(left * 60_000)}`}.</>
}
