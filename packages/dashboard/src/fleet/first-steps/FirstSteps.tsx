import { Button } from '@mantine/core'
import type { FirstSteps as Steps } from '@svc/api'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { call } from '../../data/api.ts'
import { meQuery, queryKeys } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { Section } from '../../ui/index.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { notifyFailed } from '../../ui/notify.tsx'
import './first-steps.css'

const words: Readonly<Record<keyof Steps, { title: string; says: string }>> = {
  agent: { title: 'Add an agent', says: 'Connect one that already runs, or install one from a blueprint.' },
  notified: { title: 'Get notified', says: 'Choose where alerts go: your email, this browser, a webhook or a chat.' },
  people: { title: 'Invite someone', says: 'Members can view everything except logs. Admins can also act.' },
  blueprint: { title: 'Try a blueprint', says: 'Pack an agent once, then install and update it on any machine.' },
}

interface FirstStepsProps {
  slug: string
  steps: Steps
  /** True if the workspace has no agents. The empty list then has the button to add one. */
  empty: boolean
  /** True if an agent has reported according to the list of agents, which may be newer than `steps`. */
  reported: boolean
}

/** The first steps of a new workspace, which admins see until all are done or they hide them. */
export default function FirstSteps({ slug, steps, empty, reported }: FirstStepsProps) {
  const client = useQueryClient()
  // The service remembers that the person saw the steps, and then shows them until all are done.
  useQuery({
    queryKey: queryKeys.onboarding,
    queryFn: () => call('PATCH /me', { onboarding: true }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const missed = reported && !steps.agent
  useEffect(() => {
    if (missed) void client.invalidateQueries({ queryKey: queryKeys.facts(slug) })
  }, [missed, client, slug])
  const hide = useChange(async () => {
    try {
      client.setQueryData(meQuery.queryKey, await call('PATCH /me', { onboarding: false }))
      await client.invalidateQueries({ queryKey: queryKeys.facts(slug) })
    } catch (error) {
      notifyFailed('Not sent', error)
    }
  })
  const all = Object.keys(words) as (keyof Steps)[]
  return (
    <div className="first-steps">
      <Section
        title={`First steps, ${all.filter((step) => steps[step]).length} of ${all.length} done`}
        aside={
          <Button size="compact-sm" variant="subtle" color="gray" loading={hide.busy} onClick={() => hide.submit()}>
            Hide steps
          </Button>
        }
        flush
      >
        <ol className="svc-rows" aria-label="First steps">
          {all.map((step) => (
            <li key={step} className="first-step" data-done={steps[step]}>
              {steps[step] ? <IconCircleCheckFilled size={18} aria-hidden /> : <IconCircle size={18} aria-hidden />}
              <div className="first-step-words">
                <strong>{words[step].title}</strong>
                {steps[step] ? (
                  <span className="svc-hidden"> (done)</span>
                ) : (
                  <div className="svc-quiet">{words[step].says}</div>
                )}
              </div>
              {!steps[step] && !(empty && step === 'agent') && <StepLink step={step} slug={slug} />}
            </li>
          ))}
        </ol>
      </Section>
    </div>
  )
}

/** The button that leads to a step that is not done. */
function StepLink({ step, slug }: { step: keyof Steps; slug: string }) {
  const acts: Readonly<Record<keyof Steps, ReactNode>> = {
    agent: (
      <ButtonLink size="compact-sm" variant="default" to={paths.add} params={{ slug }}>
        Add agent
      </ButtonLink>
    ),
    notified: (
      <ButtonLink size="compact-sm" variant="default" to={paths.alerts} params={{ slug }} search={{ tab: 'mine' }}>
        Choose channel
      </ButtonLink>
    ),
    people: (
      <ButtonLink size="compact-sm" variant="default" to={paths.members} params={{ slug }}>
        View members
      </ButtonLink>
    ),
    blueprint: (
      <ButtonLink size="compact-sm" variant="default" to={paths.blueprints} params={{ slug }}>
        View blueprints
      </ButtonLink>
    ),
  }
  return acts[step]
}
