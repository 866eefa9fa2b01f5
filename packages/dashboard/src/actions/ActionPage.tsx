import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { ActionPage as Action, ActionState, agentDeleted } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { IconMoodEmpty, IconSearch } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call } from '../data/api.ts'
import { keys, read } from '../data/queries.ts'
import { useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { count, ErrorNote, LeftOut, Section, Text, Time, Tone, useDocumentTitle, WhyButton } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { NotThere } from '../ui/pages/NotThere.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { outcomeWords, reasonOf, standingOf, titleOf } from './dialogs/words.ts'
import { OutcomeBar, stateOrder } from './OutcomeBar.tsx'
import './actions.css'

const route = getRouteApi('/signed-in/w/$slug/actions/$id')

/** Shows an action: what became of each agent, live, and what an admin can do about the rest. */
export function ActionPage() {
  const { slug, id } = route.useParams()
  const query = useQuery(read('GET /w/:slug/actions/:id', { slug, id }))
  const { data: action, error } = query
  useDocumentTitle(action ? titleOf(action) : 'Action', 'Actions')
  if (error instanceof ApiError && error.status === 404)
    return (
      <NotThere slug={slug} back="actions" icon={IconMoodEmpty} title="Action not found">
        Actions are kept for 30 days.
      </NotThere>
    )
  if (!action) return <QueryState of={query} />
  const standing = standingOf(action.counts)
  return (
    <>
      <header className="act-head">
        <AnchorLink to={paths.actions} params={{ slug }} fz="xs" c="dimmed">
          Actions
        </AnchorLink>
        <h1>
          <Text>{titleOf(action)}</Text>
        </h1>
        <Tone tone={standing.tone}>{standing.word}</Tone>
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
        <Values action={action} />
      </header>
      <div className="svc-column">
        <Outcome slug={slug} action={action} />
        <Agents slug={slug} action={action} />
      </div>
    </>
  )
}

/** Shows the values of settings, or the name of a log, that the action sent. */
function Values({ action: { type, values } }: { action: Action }) {
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

function Outcome({ slug, action }: { slug: string; action: Action }) {
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
    void client.invalidateQueries({ queryKey: keys.facts(slug) })
    await client.invalidateQueries({ queryKey: keys.actions(slug) })
  }
  const { busy, error, submit } = useChange(act)
  const why = (number: number, none: string) =>
    role !== 'admin' ? 'Only admins of this workspace can do this.' : busy ? 'Sending…' : number === 0 ? none : null
  return (
    <article className="svc-card act-card" aria-label="Outcome">
      <OutcomeBar counts={counts} />
      <Filter action={action} />
      <Stack gap="xs" mt={10}>
        <Group gap="xs">
          <WhyButton onClick={() => submit('retry')} why={why(rest, 'No command has expired or failed.')}>
            {rest > 0 ? `Retry the rest (${rest.toLocaleString('en-US')})` : 'Retry the rest'}
          </WhyButton>
          <WhyButton
            variant="default"
            onClick={() => submit('cancel')}
            why={why(counts.waiting, 'No command waits.')}
            note="Delivered commands, and those that somebody else also sent, stay."
          >
            Cancel what waits
          </WhyButton>
        </Group>
        {action.retries?.map((again) => (
          <p key={again.id} className="svc-quiet act-retried">
            <AnchorLink to={paths.action} params={{ slug, id: again.id }} fz="sm" underline="always">
              Retried
            </AnchorLink>{' '}
            <Time at={again.at} /> by <Text>{again.by}</Text>
          </p>
        ))}
        {error !== null && <ErrorNote error={error} />}
      </Stack>
    </article>
  )
}

function Filter({ action: { counts } }: { action: Action }) {
  const { state } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (one: ActionState | undefined) =>
    void navigate({ search: one === undefined ? {} : { state: one }, replace: true, resetScroll: false })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> has a look
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

/** The number of agents that are shown at first, and how many a press adds. Thousands at once would take seconds. */
const step = 200

function Agents({ slug, action }: { slug: string; action: Action }) {
  const { state } = route.useSearch()
  const [sought, setSought] = useState('')
  const [most, setMost] = useState(step)
  // If an action is too large for one answer, the agents in a state are requested by themselves.
  const isWhole = action.leftOff === undefined || state === undefined
  const part = useQuery({ ...read('GET /w/:slug/actions/:id', { slug, id: action.id }, { state }), enabled: !isWhole })
  const { agents, leftOff } = (isWhole ? undefined : part.data) ?? action
  const fitting = agents.filter(
    (agent) => (state === undefined || agent.state === state) && isSought(agent, trimInvisible(sought).toLowerCase()),
  )
  return (
    <Section
      title={state === undefined ? 'Agents' : `Agents: ${outcomeWords[state].word}`}
      aside={count(fitting.length, 'agent')}
      flush
    >
      {agents.length > step && (
        <TextInput
          className="act-search"
          type="search"
          size="xs"
          aria-label="Find agents of this action"
          placeholder="Name or reason"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
      )}
      <ul className="svc-rows" aria-label="Agents">
        {fitting.slice(0, most).map((agent) => (
          <OneAgent key={agent.name} slug={slug} type={action.type} agent={agent} />
        ))}
      </ul>
      {fitting.length > most && (
        <div className="act-more">
          <Button variant="default" size="xs" onClick={() => setMost(most + step)}>
            {`Show ${Math.min(step, fitting.length - most).toLocaleString('en-US')} more`}
          </Button>
        </div>
      )}
      <LeftOut rows={leftOff?.agents ?? 0} what={['agent']} />
      {leftOff !== undefined && state === undefined && (
        <p className="svc-note">Choose an outcome above to see only its agents.</p>
      )}
    </Section>
  )
}

const isSought = (agent: Action['agents'][number], text: string): boolean =>
  text === '' || `${agent.name} ${reasonOf(agent) ?? ''}`.toLowerCase().includes(text)

/** The service's sentence: the compiler compares them. */
const deleted: typeof agentDeleted = 'The agent was deleted.'

function OneAgent({ slug, type, agent }: { slug: string; type: Action['type']; agent: Action['agents'][number] }) {
  const { role } = useWorkspace()
  const { name, state, message, log } = agent
  const isGone = message === deleted || (type === 'delete' && state === 'applied')
  const reason = reasonOf(agent)
  return (
    <li className="act-agent">
      <span className="act-agent-name">
        {isGone ? (
          <Text>{name}</Text>
        ) : (
          <AnchorLink to={paths.agent} params={{ slug, name }} search={{ tab: 'commands' }}>
            {name}
          </AnchorLink>
        )}
        {log !== undefined && role === 'admin' && (
          <AnchorLink to={paths.agent} params={{ slug, name }} search={{ tab: 'logs', log }} fz="sm" underline="always">
            Read log
          </AnchorLink>
        )}
      </span>
      <Tone tone={outcomeWords[state].tone}>{outcomeWords[state].word}</Tone>
      {reason !== null && (
        <p className="svc-quiet">
          <Text>{reason}</Text>
        </p>
      )}
    </li>
  )
}
