import { Checkbox, Group, Stack } from '@mantine/core'
import type { Pressable, RolloutPage as Rollout, RolloutAgent } from '@svc/api'
import { IconMoodEmpty } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call } from '../data/api.ts'
import { read, rolloutsQuery } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import {
  Confirm,
  count,
  ErrorNote,
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
  WhyButton,
} from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { NotThere } from '../ui/pages/NotThere.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { DoNotWait } from './parts/DoNotWait.tsx'
import { memberWords, rolloutWords, upToWords, waitWords } from './parts/words.ts'
import { RolloutBar } from './RolloutBar.tsx'
import { titleOf } from './UpdatesPage.tsx'
import './updates.css'
import './updates-page.css'

const route = getRouteApi('/signed-in/w/$slug/updates/$id')

/** Shows a rollout: what it waits for, why it halted, which agents have the version, and what an admin can do. */
export function RolloutPage() {
  const { slug, id } = route.useParams()
  const query = useQuery(read('GET /w/:slug/rollouts/:id', { slug, id }))
  const { data: rollout, error } = query
  useDocumentTitle(rollout ? titleOf(rollout) : 'Rollout', 'Updates')
  if (error instanceof ApiError && error.status === 404)
    return (
      <NotThere slug={slug} back="updates" icon={IconMoodEmpty} title="Rollout not found">
        Rollouts are kept for 400 days after they end.
      </NotThere>
    )
  if (!rollout) return <QueryState of={query} />
  const { word, tone } = rolloutWords[rollout.state]
  return (
    <>
      <header className="up-head">
        <AnchorLink to={paths.updates} params={{ slug }} fz="xs" c="dimmed">
          Updates
        </AnchorLink>
        <h1>
          <Text>{titleOf(rollout)}</Text>
        </h1>
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
            <Tone tone={tone}>{word}</Tone>{' '}
            <p>
              <Text>{rollout.says}</Text> {rollout.nextAt !== null && <Next at={rollout.nextAt} />}
            </p>
          </div>
          <RolloutBar counts={rollout.counts} agents={rollout.agents} />
          <Acts slug={slug} rollout={rollout} />
          <p className="svc-quiet">
            <Text>{rollout.stays}</Text>
          </p>
        </article>
        <Members slug={slug} rollout={rollout} />
      </div>
    </>
  )
}

const wavesWords = ({ upTo, byHand, watchSeconds }: Rollout): string =>
  `waves: ${upTo.map(upToWords).join(', ')}; ${byHand ? 'each waits for approval' : watchSeconds === 0 ? 'not watched' : `each watched for ${lastingText(watchSeconds * 1000)}`}`

const Next = ({ at }: { at: number }) => {
  const left = useClock((now) => Math.max(0, Math.ceil((at - now) / 60_000)))
  return <span className="svc-quiet">{left === 0 ? 'Within a minute.' : `In about ${left} min.`}</span>
}

/** True for a halted rollout whose agents all have an outcome: there is nothing to continue, pause or cancel. */
const isSpent = ({ state, actions }: Rollout): boolean => state === 'halted' && !actions.continue.ok

type RolloutAction = 'pause' | 'continue' | 'cancel' | 'now'

function Acts({ slug, rollout }: { slug: string; rollout: Rollout }) {
  const client = useQueryClient()
  const [cancelling, setCancelling] = useState(false)
  const [withdraw, setWithdraw] = useState(false)
  const { id, actions, state, canAct } = rollout
  const { tooOld } = rollout.watching
  const act = async (what: RolloutAction) => {
    const at = { slug, id }
    const page =
      what === 'cancel'
        ? await call('POST /w/:slug/rollouts/:id/cancel', at, { withdraw })
        : await call(`POST /w/:slug/rollouts/:id/${what}`, at)
    client.setQueryData(read('GET /w/:slug/rollouts/:id', { slug, id }).queryKey, page)
    void client.invalidateQueries({ queryKey: rolloutsQuery(slug).queryKey })
  }
  const { busy, error, submit } = useChange(act)
  const why = (pressable: Pressable) =>
    canAct ? (pressable.ok ? null : pressable.message) : 'Only admins of this workspace can do this.'
  const sending = busy ? 'Sending…' : null
  const spent = isSpent(rollout)
  const onward = state === 'halted' || state === 'paused' ? 'Continue' : 'Start next wave now'
  return (
    <Stack gap="xs" my={10}>
      <Group gap="xs">
        {spent ? (
          <WhyButton onClick={() => submit('cancel')} why={sending ?? why(actions.cancel)}>
            End rollout
          </WhyButton>
        ) : (
          <>
            <WhyButton onClick={() => submit('continue')} why={sending ?? why(actions.continue)}>
              {onward}
            </WhyButton>
            <WhyButton
              variant="default"
              onClick={() => submit('pause')}
              why={sending ?? why(actions.pause)}
              note="You can continue at any time."
            >
              Pause
            </WhyButton>
            <WhyButton variant="default" onClick={() => setCancelling(true)} why={why(actions.cancel)}>
              Cancel…
            </WhyButton>
            {actions.now.ok && (
              <DoNotWait
                who={count(rollout.watching.agents, 'agent')}
                watched="what they watch"
                version={rollout.version}
                why={sending ?? why(actions.now)}
                send={() => act('now')}
              />
            )}
          </>
        )}
      </Group>
      {tooOld > 0 && !spent && (
        <p className="svc-quiet">
          {count(tooOld, 'agent')} {tooOld === 1 ? 'waits' : 'wait'} for the end of a watch, and the runtime there is
          too old to end one.
        </p>
      )}
      {error !== null && <ErrorNote error={error} />}
      <Confirm
        opened={cancelling}
        onClose={() => setCancelling(false)}
        title={`Cancel the rollout of ${titleOf(rollout)}?`}
        confirm="Cancel rollout"
        danger
        onConfirm={() => act('cancel')}
      >
        <p>
          No further agents get the version. This can’t be undone, but a new rollout can pick up where this one ended.
        </p>
        <p>
          <Text>{rollout.stays}</Text>
        </p>
        <Checkbox
          checked={withdraw}
          onChange={(event) => setWithdraw(event.currentTarget.checked)}
          label="Also cancel requests that agents have not carried out"
          description="Agents that have already started will finish."
        />
      </Confirm>
    </Stack>
  )
}

/** The agents of a rollout by wave. Agents that are left out come last, each with the reason. */
function Members({ slug, rollout }: { slug: string; rollout: Rollout }) {
  const waves = Map.groupBy(rollout.agents, ({ wave }) => wave)
  const out = waves.get(0) ?? []
  return (
    <div className="svc-column">
      {rollout.upTo.map((upTo, i) => {
        const agents = waves.get(i + 1) ?? []
        return (
          <Section
            key={upTo}
            title={`Wave ${i + 1}: ${upToWords(upTo)}`}
            aside={i + 1 > rollout.wave ? 'up next' : i + 1 < rollout.wave || isSpent(rollout) ? 'done' : 'in progress'}
            flush
          >
            <List slug={slug} agents={agents} version={rollout.version} label={`Wave ${i + 1}`} />
          </Section>
        )
      })}
      {out.length > 0 && (
        <Section title="Not included" aside={count(rollout.counts.left_out, 'agent')} flush>
          <List slug={slug} agents={out} version={rollout.version} label="Not included" />
        </Section>
      )}
      <LeftOut rows={rollout.leftOff?.agents ?? 0} what={['agent']} />
    </div>
  )
}

/** The number of agents of a wave that are shown at first. Further agents are shown on demand. */
const atFirst = 100

function List({
  slug,
  agents,
  version,
  label,
}: {
  slug: string
  agents: readonly RolloutAgent[]
  version: string
  label: string
}) {
  const [all, setAll] = useState(false)
  return (
    <>
      <ul className="svc-rows" aria-label={label}>
        {(all ? agents : agents.slice(0, atFirst)).map((agent) => (
          <li key={agent.agent} className="up-member">
            <span className="up-member-name">
              <AnchorLink to={paths.agent} params={{ slug, name: agent.agent }} search={{ tab: 'updates' }}>
                {agent.agent}
              </AnchorLink>
              <Stands agent={agent} />
              {agent.running !== null && agent.running !== version && (
                <span className="svc-quiet">
                  running <Text>{agent.running}</Text>
                </span>
              )}
            </span>
            <span>
              <Tone tone={memberWords[agent.state].tone}>
                <Text>{waitWords(agent.waits, timeOfDay) ?? memberWords[agent.state].word}</Text>
              </Tone>{' '}
              {agent.at !== null && (
                <span className="svc-quiet">
                  <Time at={agent.at} />
                </span>
              )}
            </span>
            {agent.reason !== null && (
              <p className="up-message">
                <Text>{agent.reason}</Text>
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
          </li>
        ))}
      </ul>
      {!all && agents.length > atFirst && (
        <div className="up-act">
          <WhyButton variant="default" size="xs" onClick={() => setAll(true)} why={null}>
            {`Show all ${agents.length.toLocaleString('en-US')}`}
          </WhyButton>
        </div>
      )}
    </>
  )
}

function Stands({ agent: { level, seenAt, silentAt, stopped } }: { agent: RolloutAgent }) {
  const offline = useReportOverdue(silentAt)
  return <Level level={level} offline={offline} stopped={stopped !== null} never={seenAt === null} iconOnly />
}
