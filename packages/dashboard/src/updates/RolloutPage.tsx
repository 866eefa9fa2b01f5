import type { RolloutPage as Rollout, RolloutAgent } from '@svc/api'
import { IconMoodEmpty } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ApiError } from '../data/api.ts'
import { read } from '../data/queries.ts'
import { paths } from '../paths.ts'
import {
  count,
  LeftOut,
  Level,
  lastingText,
  Section,
  Text,
  Time,
  Tone,
  timeOfDay,
  useClock,
  useDocumentTitle,
  useReportOverdue,
} from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { NotThere } from '../ui/pages/NotThere.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { ClockTime } from '../ui/time/ClockTime.tsx'
import { useFirstRows } from '../ui/useFirstRows.tsx'
import { rolloutAgentWords, rolloutWords, upToWords, waitWords } from './parts/looks.ts'
import { PrintedOutput } from './parts/Printed.tsx'
import { reasonIn } from './parts/reasons.ts'
import { RolloutActs } from './RolloutActs.tsx'
import { RolloutCounts } from './RolloutBar.tsx'
import { rolloutTitleOf } from './UpdatesPage.tsx'
import { WavesBar } from './WavesBar.tsx'
import { waveWord } from './waves.ts'
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

/** The agents of a rollout by wave. Agents that are left out come last, each with the reason. */
function RolloutAgents({ slug, rollout }: { slug: string; rollout: Rollout }) {
  const waves = Map.groupBy(rollout.agents, ({ wave }) => wave)
  const out = waves.get(0) ?? []
  return (
    <div className="svc-column">
      {rollout.upTo.map((upTo, i) => {
        const agents = waves.get(i + 1) ?? []
        return (
          <Section key={upTo} title={`Wave ${i + 1}: ${upToWords(upTo)}`} aside={waveWord(rollout, i + 1)} flush>
            <AgentList slug={slug} agents={agents} rollout={rollout} label={`Wave ${i + 1}`} />
          </Section>
        )
      })}
      {out.length > 0 && (
        <Section title="Not included" aside={count(rollout.counts.left_out, 'agent')} flush>
          <AgentList slug={slug} agents={out} rollout={rollout} label="Not included" />
        </Section>
      )}
      <LeftOut rows={rollout.leftOff?.agents ?? 0} what={['agent']} />
    </div>
  )
}

/**
 * True if the status at the top of the page names this agent with its reason, so that the list does not repeat the
 * reason.
 */
const isReasonShownAbove = ({ state, says }: Rollout, { agent, reason }: RolloutAgent): boolean =>
  state === 'halted' && reason !== null && says.startsWith(`On ${agent} `) && says.includes(reasonIn(reason))

/** The reason why a person who is not an admin cannot read a log. */
const whyNoLogs = 'Only admins of this workspace can read logs.'

/** The number of agents of a wave that are shown at first. Further agents are shown on demand. */
const shownAtFirst = 100

function AgentList({
  slug,
  agents,
  rollout,
  label,
}: {
  slug: string
  agents: readonly RolloutAgent[]
  rollout: Rollout
  label: string
}) {
  const first = useFirstRows(agents, shownAtFirst)
  return (
    <>
      <ul ref={first.list} tabIndex={-1} className="svc-rows svc-focused-part" aria-label={label}>
        {first.shown.map((agent) => (
          <li key={agent.agent} className="up-member">
            <AgentStanding agent={agent} />
            <span className="up-member-name">
              <AnchorLink to={paths.agent} params={{ slug, name: agent.agent }} search={{ tab: 'updates' }}>
                {agent.agent}
              </AnchorLink>
            </span>
            <span className="up-member-state">
              <Tone tone={rolloutAgentWords[agent.state].tone}>
                <Text>{waitWords(agent.waits, timeOfDay) ?? rolloutAgentWords[agent.state].word}</Text>
              </Tone>{' '}
              {agent.at !== null && (
                <span className="svc-quiet">
                  <ClockTime at={agent.at} />
                </span>
              )}
            </span>
            {agent.running !== null && agent.running !== rollout.version && (
              <span className="svc-quiet">
                running <Text>{agent.running}</Text>
              </span>
            )}
            {agent.reason !== null && !isReasonShownAbove(rollout, agent) && (
              <p className="up-message">
                <Text>{reasonIn(agent.reason)}</Text>
                {agent.leftOutFor !== null && (
                  <>
                    {' '}
                    <AnchorLink
                      to={paths.rollout}
                      params={{ slug, id: agent.leftOutFor }}
                      fz="sm"
                      underline="always"
                      aria-label={`View the other rollout of ${agent.agent}`}
                    >
                      View it
                    </AnchorLink>
                  </>
                )}
              </p>
            )}
            {agent.printed !== null && !isReasonShownAbove(rollout, agent) && (
              <PrintedOutput
                slug={slug}
                name={agent.agent}
                log={agent.printed}
                why={rollout.canAct ? null : whyNoLogs}
              />
            )}
          </li>
        ))}
      </ul>
      {first.button && <div className="up-act">{first.button}</div>}
    </>
  )
}

function AgentStanding({ agent: { level, seenAt, silentAt, stopped } }: { agent: RolloutAgent }) {
  const offline = useReportOverdue(silentAt)
  return <Level level={level} offline={offline} stopped={stopped !== null} never={seenAt === null} iconOnly />
}
