import './updates.css'
import './updates-page.css'
import { Button, Group, Stack } from '@mantine/core'
import type { WishResult } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { read } from '../data/queries.ts'
import { useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { count, ErrorNote, PageHeader, Section, Text, useDocumentTitle, WhyButton } from '../ui/index.ts'
import { AnchorLink, ButtonLink } from '../ui/links.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { ChosenAgents, RolloutChoice, VersionChoice, WaveFields } from './Fields.tsx'
import { Preview } from './Preview.tsx'
import { readWaves } from './parts/looks.ts'
import { NewSecrets } from './parts/NewSecrets.tsx'
import { UnsignedWarning } from './parts/Served.tsx'
import { byAgentsBehind, rolledBackText, type UpdatePlan } from './plan.ts'
import { usePlan, useReach, useSending, whyNotSendable } from './usePlan.ts'

const route = getRouteApi('/signed-in/w/$slug/updates/new')

/**
 * A form that requests a version for the selected agents or for all agents, at once or in waves that halt by
 * themselves. The form can also cancel earlier requests.
 */
export function UpdatePage() {
  const { slug } = route.useParams()
  const { role } = useWorkspace()
  const { data, error, refetch } = useQuery(read('GET /w/:slug/blueprints', { slug }))
  useDocumentTitle('Update agents', 'Updates')
  return (
    <>
      <div className="svc-page-above">
        <AnchorLink to={paths.updates} params={{ slug }} fz="xs" c="dimmed">
          Updates
        </AnchorLink>
      </div>
      <PageHeader
        title="Update agents"
        note="Each agent tests the version, keeps it if it is healthy, and rolls back if it is not."
      />
      {error && <ErrorNote error={error} retry={refetch} />}
      {role !== 'admin' ? (
        <p>Only admins of this workspace can update agents.</p>
      ) : data ? (
        <Form slug={slug} blueprints={byAgentsBehind(data.rows)} />
      ) : (
        !error && <WaitingPage />
      )}
    </>
  )
}

function Form({ slug, blueprints }: { slug: string; blueprints: string[] }) {
  const { plan, change, names, versions, page, runtime } = usePlan(slug, blueprints)
  const reach = useReach(slug, plan)
  const { busy, done, error, send, results, again } = useSending(slug, plan, reach)
  const { reached, rollout, preview } = reach
  const affected = new Set(reached)
  const running = page?.agents.flatMap((agent) => (affected.has(agent.name) ? agent.running : [])) ?? []
  const why = whyNotSendable(plan, reach, busy)
  const served = runtime?.served
  const warning =
    plan.kind === 'blueprint' && plan.how !== 'withdraw' ? rolledBackText(page?.agents ?? [], plan.version) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (why === null) send()
  }
  if (results) return <WishResults slug={slug} results={results} again={again} />
  return (
    <form className="svc-columns up-form" onSubmit={submit} noValidate>
      <Stack gap="md">
        <VersionChoice
          plan={plan}
          change={change}
          blueprints={blueprints}
          versions={versions}
          served={runtime && (served?.version ?? null)}
        />
        {warning !== null && (
          <p className="svc-notice" role="note">
            {warning}{' '}
            <AnchorLink
              to={paths.fleet}
              params={{ slug }}
              search={{ q: `blueprint:${plan.blueprint} update:rolled_back,held` }}
              underline="always"
            >
              View agents
            </AnchorLink>
          </p>
        )}
        {names.length > 0 && <ChosenAgents plan={plan} change={change} names={names} />}
        <RolloutChoice plan={plan} change={change} />
        {plan.how === 'waves' && <WaveFields plan={plan} change={change} good={readWaves(plan.waves) !== undefined} />}
        {plan.kind === 'blueprint' && plan.how !== 'withdraw' && plan.version !== '' && (
          <NewSecrets slug={slug} blueprint={plan.blueprint} version={plan.version} running={running} />
        )}
        {plan.kind === 'runtime' && plan.how !== 'withdraw' && served?.signed === false && (
          <UnsignedWarning version={served.version} />
        )}
        <p className="svc-quiet">{undo[plan.how]}</p>
        {error !== null && <ErrorNote error={error} />}
        <div className="up-buttons">
          <WhyButton type="submit" onClick={() => undefined} why={why} loading={busy}>
            {verbs[plan.how](plan.how === 'withdraw' ? null : reached.length)}
          </WhyButton>
          <ButtonLink to={paths.updates} params={{ slug }} variant="default">
            Cancel
          </ButtonLink>
        </div>
        <p className="svc-quiet up-sending" role="status">
          {busy && (plan.how === 'withdraw' ? cancellingText(done, reach.chosen.length) : starting(reached.length))}
        </p>
      </Stack>
      {rollout && plan.how !== 'withdraw' && (
        <Preview
          slug={slug}
          how={plan.how}
          preview={preview}
          end={{
            send,
            why: busy ? 'Sending…' : preview.isPlaceholderData ? 'Still loading the agents concerned.' : null,
          }}
        />
      )}
    </form>
  )
}

const starting = (agents: number): string =>
  `Starting for ${count(agents, 'agent')}. The page of the rollout opens when the first of them have the request.`
const cancellingText = (done: number, agents: number): string =>
  `Cancelled for ${done.toLocaleString('en-US')} of ${count(agents, 'agent')}.`

const verbs: Readonly<Record<UpdatePlan['how'], (reached: number | null) => string>> = {
  waves: (reached) => `Start rollout (${count(reached ?? 0, 'agent')})`,
  once: (reached) => `Update ${count(reached ?? 0, 'agent')}`,
  withdraw: () => 'Cancel pending updates',
}

const undo: Readonly<Record<UpdatePlan['how'], string>> = {
  waves: 'You can pause or cancel the rollout at any time. Agents that already run the version keep it.',
  once: 'You can pause or cancel it until the agents start. After that, request their previous version.',
  withdraw: 'You can request the version again at any time.',
}

interface ResultsProps {
  slug: string
  results: readonly WishResult[]
  again: () => void
}

/** The results of a cancellation for many agents, agent by agent, refused ones first, each with the reason. */
function WishResults({ slug, results, again }: ResultsProps) {
  const refused = results.filter(({ ok }) => !ok)
  const done = results.filter(({ ok }) => ok)
  const list = (some: readonly WishResult[]) => (
    <ul className="svc-rows">
      {some.map(({ agent, message }) => (
        <li key={agent}>
          <AnchorLink to={paths.agent} params={{ slug, name: agent }} search={{ tab: 'updates' }}>
            {agent}
          </AnchorLink>
          {message !== null && (
            <div className="svc-quiet">
              <Text>{message}</Text>
            </div>
          )}
        </li>
      ))}
    </ul>
  )
  return (
    <div className="svc-column">
      {refused.length > 0 && (
        <Section title={`Refused for ${count(refused.length, 'agent')}`} flush>
          {list(refused)}
        </Section>
      )}
      {done.length > 0 && (
        <Section title={`Cancelled for ${count(done.length, 'agent')}`} flush>
          {list(done)}
        </Section>
      )}
      <Group gap="xs">
        <ButtonLink to={paths.fleet} params={{ slug }}>
          View agents
        </ButtonLink>
        <Button variant="default" onClick={again}>
          Start another
        </Button>
      </Group>
    </div>
  )
}
