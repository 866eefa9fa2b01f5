import { Button, Group } from '@mantine/core'
import type { ActionPage as Action, ActionState } from '@svc/api'
import { IconMoodEmpty } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ApiError, call } from '../data/api.ts'
import { queryKeys, read } from '../data/queries.ts'
import { useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { ErrorNote, Text, Time, Tone, useDocumentTitle, WhyButton } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { NotThere } from '../ui/pages/NotThere.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { ActionAgents } from './ActionAgents.tsx'
import { actionProgressOf, actionTitleOf, outcomeWords } from './dialogs/words.ts'
import { OutcomeBar, stateOrder } from './OutcomeBar.tsx'
import './actions.css'

const route = getRouteApi('/signed-in/w/$slug/actions/$id')

/** Shows an action with the outcome for each agent. Admins can retry what failed or expired, and cancel what waits. */
export function ActionPage() {
  const { slug, id } = route.useParams()
  const query = useQuery(read('GET /w/:slug/actions/:id', { slug, id }))
  const { data: action, error } = query
  useDocumentTitle(action ? actionTitleOf(action) : 'Action', 'Actions')
  if (error instanceof ApiError && error.status === 404)
    return (
      <NotThere slug={slug} back="actions" icon={IconMoodEmpty} title="Action not found">
        Actions are kept for 30 days.
      </NotThere>
    )
  if (!action) return <QueryState of={query} />
  const progress = actionProgressOf(action.counts)
  return (
    <>
      <header className="act-head">
        <AnchorLink to={paths.actions} params={{ slug }} fz="xs" c="dimmed">
          Actions
        </AnchorLink>
        <div className="act-title">
          <h1>
            <Text>{actionTitleOf(action)}</Text>
          </h1>
          <Tone tone={progress.tone}>{progress.word}</Tone>
        </div>
        <p className="svc-quiet">
          sent <Time at={action.at} /> by <Text>{action.by}</Text>
          {action.retryOf !== null && (
            <>
              , the rest of{' '}
              <AnchorLink to={paths.action} params={{ slug, id: action.retryOf }}>
                an earlier action
              </AnchorLink>
            </>
          )}
          {action.filter !== null && (
            <>
              {' '}
              to the agents that fit{' '}
              <AnchorLink
                to={paths.fleet}
                params={{ slug }}
                search={{ q: action.filter }}
                fz="inherit"
                underline="always"
              >
                <Text mono>{action.filter}</Text>
              </AnchorLink>
            </>
          )}
        </p>
        <ActionValuesNote action={action} />
      </header>
      <div className="svc-column">
        <ActionOutcome slug={slug} action={action} />
        <ActionAgents slug={slug} action={action} />
      </div>
    </>
  )
}

/** Shows the values of settings, or the name of a log, that the action sent. */
function ActionValuesNote({ action: { type, values } }: { action: Action }) {
  const all = Object.entries(values)
  if (all.length === 0) return null
  return (
    <ul className="act-values" aria-label={type === 'log' ? 'Log' : 'Values'}>
      {all.map(([key, value]) => (
        <li key={key}>
          {type !== 'log' && (
            <>
              <Text>{key}</Text>:{' '}
            </>
          )}
          <Text mono>{typeof value === 'string' ? value : JSON.stringify(value)}</Text>
        </li>
      ))}
    </ul>
  )
}

function ActionOutcome({ slug, action }: { slug: string; action: Action }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { role } = useWorkspace()
  const { counts, id } = action
  const rest = counts.expired + counts.failed
  const act = async (what: 'retry' | 'cancel') => {
    if (what === 'retry') {
      const again = await call('POST /w/:slug/actions/:id/retry', { slug, id })
      await navigate({ to: paths.action, params: { slug, id: again.id } })
    } else await call('POST /w/:slug/actions/:id/cancel', { slug, id })
    void client.invalidateQueries({ queryKey: queryKeys.facts(slug) })
    await client.invalidateQueries({ queryKey: queryKeys.actions(slug) })
  }
  const { busy, error, submit } = useChange(act)
  const why = role !== 'admin' ? 'Only admins of this workspace can do this.' : busy ? 'Sending…' : null
  return (
    <article className="svc-card act-card" aria-label="Outcome">
      <OutcomeBar counts={counts} />
      <StateFilter action={action} />
      {rest + counts.waiting > 0 && (
        <Group gap="xs" mt={12}>
          {rest > 0 && (
            <WhyButton onClick={() => submit('retry')} why={why}>
              {`Retry the rest (${rest.toLocaleString('en-US')})`}
            </WhyButton>
          )}
          {counts.waiting > 0 && (
            <WhyButton
              variant="default"
              onClick={() => submit('cancel')}
              why={why}
              note="Delivered commands, and those that somebody else also sent, stay."
            >
              Cancel what waits
            </WhyButton>
          )}
        </Group>
      )}
      {action.retries?.map((again) => (
        <p key={again.id} className="svc-quiet act-retried">
          <AnchorLink to={paths.action} params={{ slug, id: again.id }} fz="sm" underline="always">
            Retried
          </AnchorLink>{' '}
          <Time at={again.at} /> by <Text>{again.by}</Text>
        </p>
      ))}
      {error !== null && <ErrorNote error={error} />}
    </article>
  )
}

function StateFilter({ action: { counts } }: { action: Action }) {
  const { state } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (one: ActionState | undefined) =>
    void navigate({ search: one === undefined ? {} : { state: one }, replace: true, resetScroll: false })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> has a border
    <div role="group" aria-label="Show agents by outcome">
      <Group gap={6}>
        {stateOrder
          .filter((one) => counts[one] > 0 || one === state)
          .map((one) => (
            <Button
              key={one}
              size="compact-sm"
              variant={state === one ? 'light' : 'default'}
              aria-pressed={state === one}
              title={outcomeWords[one].means}
              onClick={() => show(state === one ? undefined : one)}
            >
              <Tone tone={outcomeWords[one].tone}>
                {`${counts[one].toLocaleString('en-US')} ${outcomeWords[one].word}`}
              </Tone>
            </Button>
          ))}
      </Group>
    </div>
  )
}
