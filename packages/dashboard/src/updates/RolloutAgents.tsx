import type { RolloutPage as Rollout, RolloutAgent } from '@svc/api'
import { paths } from '../paths.ts'
import { count, LeftOut, Level, Section, Text, Tone, timeOfDay, useReportOverdue } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { ClockTime } from '../ui/time/ClockTime.tsx'
import { useFirstRows } from '../ui/useFirstRows.tsx'
import { rolloutAgentWords, upToWords, waitWords } from './parts/looks.ts'
import { PrintedOutput } from './parts/Printed.tsx'
import { reasonIn } from './parts/reasons.ts'
import { waveWord } from './waves.ts'

/** The agents of a rollout by wave. Agents that are left out come last, each with the reason. */
export function RolloutAgents({ slug, rollout }: { slug: string; rollout: Rollout }) {
  const waves = Map.groupBy(rollout.agents, ({ wave }) => wave)
  const out = waves.get(0) ?? []
  return (
    <div className="svc-column">
      {rollout.upTo.map((upTo, i) => {
        const agents = waves.get(i + 1) ?? []
        return (
          <Section key={upTo} title={`Wave ${i + 1}: ${upToWords(upTo)}`} aside={waveWord(rollout, i + 1)} flush>
            <List slug={slug} agents={agents} rollout={rollout} label={`Wave ${i + 1}`} />
          </Section>
        )
      })}
      {out.length > 0 && (
        <Section title="Not included" aside={count(rollout.counts.left_out, 'agent')} flush>
          <List slug={slug} agents={out} rollout={rollout} label="Not included" />
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
export const isReasonShownAbove = ({ state, says }: Rollout, { agent, reason }: RolloutAgent): boolean =>
  state === 'halted' && reason !== null && says.startsWith(`On ${agent} `) && says.includes(reasonIn(reason))

/** The reason why a person who is not an admin cannot read a log. */
export const whyNoLogs = 'Only admins of this workspace can read logs.'

/** The number of agents of a wave that are shown at first. Further agents are shown on demand. */
const shownAtFirst = 100

function List({
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
