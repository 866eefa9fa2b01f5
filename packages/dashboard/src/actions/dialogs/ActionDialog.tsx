import { Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ActionPreview, ActionType, actions, NewAction } from '@svc/api'
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode, useState } from 'react'
import { ApiError, call } from '../../data/api.ts'
import { queryKeys } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { Confirm, ErrorNote, Scroll, Text } from '../../ui/index.ts'
import { LogName } from './LogName.tsx'
import { SelectionIdleTerms } from './SelectionIdleTerms.tsx'
import { SetValues } from './SetValues.tsx'
import { type ActionValues, previewKey, useActionReach } from './useReach.ts'
import { agentsIn, previewWords, reasonsIn, typeWords } from './words.ts'
import './dialogs.css'

interface ActionDialogProps {
  slug: string
  type: ActionType
  names: readonly string[]
  /** The filter by which the agents were selected; undefined if they were selected one by one. */
  filter?: string | undefined
  onClose: () => void
  onSent: () => void
  /** Called with the names of selected agents that no longer exist, to deselect them. */
  onGone: (names: readonly string[]) => void
}

/** A copy of the service's limit. The compiler checks that both are the same. */
const maxLogAgents: (typeof actions.maxActionAgents)['log'] = 200

/**
 * Asks for the values that an action needs, and shows which agents it does not reach. A press sends the action, and
 * opens the page with its outcomes.
 */
export function ActionDialog({ slug, type, names, filter, onClose, onSent, onGone }: ActionDialogProps) {
  const needsValues = type === 'set' || type === 'log'
  const [values, setValues] = useState<ActionValues | null>(needsValues ? null : {})
  const [settled] = useDebouncedValue(values, needsValues ? 300 : 0)
  const [gone, setGone] = useState<readonly string[]>([])
  const isTooMany = type === 'log' && names.length > maxLogAgents
  const wanted = isTooMany || settled === null ? null : { type, agents: names, values: settled }
  const reach = useActionReach(slug, wanted, (lost) => {
    setGone((before) => [...before, ...lost])
    onGone(lost)
  })
  const send = useSend(slug, onSent)
  const isSettled = values !== null && values === settled && reach.data !== undefined && !reach.isFetching
  const sends = reach.data?.sends ?? names.length
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`${typeWords[type]}: ${agentsIn(names.length)}${needsValues ? '' : '?'}`}
      confirm={confirmWords(type, isSettled ? sends : null)}
      danger={type === 'delete'}
      disabled={!isSettled || sends === 0}
      onConfirm={() =>
        send({ type, agents: [...names], values: values ?? {}, ...(filter !== undefined && { filter }) })
      }
    >
      <Stack gap="sm">
        <SelectionIdleTerms slug={slug} filter={filter} />
        {gone.length > 0 && <DeletedNames names={gone} />}
        {isTooMany ? (
          <p>
            A log can be requested from {maxLogAgents} agents at most, and {names.length.toLocaleString('en-US')} are
            selected. Select fewer.
          </p>
        ) : (
          <>
            {type === 'set' && <SetValues slug={slug} names={names} onChange={setValues} />}
            {type === 'log' && <LogName slug={slug} names={names} onChange={setValues} />}
            {type === 'delete' && reach.data && <ToDelete names={names} preview={reach.data} />}
            <ActionReach type={type} reach={reach} isAsked={values !== null} />
            <div>{consequences[type]}</div>
          </>
        )}
      </Stack>
    </Confirm>
  )
}

/** Returns a function that sends an action, and then opens its page. */
function useSend(slug: string, onSent: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (action: NewAction) => {
    try {
      const { id } = await call('POST /w/:slug/actions', { slug }, action)
      onSent()
      for (const queryKey of [queryKeys.actions(slug), queryKeys.facts(slug)])
        void client.invalidateQueries({ queryKey })
      await navigate({ to: paths.action, params: { slug, id } })
    } catch (error) {
      // A selected agent no longer exists. Requesting the preview again finds and deselects it.
      if (error instanceof ApiError && error.code === 'agent_unknown')
        void client.invalidateQueries({ queryKey: previewKey(slug) })
      throw error
    }
  }
}

const DeletedNames = ({ names }: { names: readonly string[] }) => (
  <p className="act-gone" role="status">
    {names.length === 1 ? 'One agent is' : `${names.length.toLocaleString('en-US')} agents are`} gone or renamed, and no
    longer selected: <Text>{names.slice(0, 5).join(', ')}</Text>
    {names.length > 5 && ' …'}
  </p>
)

function ToDelete({ names, preview: { sends, skips, leftOff } }: { names: readonly string[]; preview: ActionPreview }) {
  if (sends === 0) return null
  // If the preview names only some of the skipped agents, the agents to delete cannot be listed.
  if (leftOff !== undefined) return <p>{`To delete: ${agentsIn(sends)}`}</p>
  const skipped = new Set(skips.map(({ name }) => name))
  return <NameList title={`To delete: ${agentsIn(sends)}`} names={names.filter((name) => !skipped.has(name))} />
}

/** Returns the words on the button. `sends` is the number of agents that the action reaches; null until it is known. */
function confirmWords(type: ActionType, sends: number | null): string {
  const n = sends === null ? '' : ` ${sends.toLocaleString('en-US')}`
  switch (type) {
    case 'set':
      return sends === null ? 'Change settings' : `Change settings of ${agentsIn(sends)}`
    case 'log':
      return sends === null || sends === 1 ? 'Request log' : `Request${n} logs`
    case 'lift':
      return sends === null || sends === 1 ? 'Lift hold' : `Lift${n} holds`
    case 'delete':
      return sends === null ? 'Delete agents' : `Delete ${agentsIn(sends)}`
    default:
      return `${typeWords[type]}${n}`
  }
}

const controlWords = (means: string): ReactNode => (
  <>
    Each agent gets the command with its next report and decides for itself. Those that accept {means}. A command
    expires if its agent does not report within ten minutes. The next page shows each agent’s answer.
  </>
)
const consequences: Readonly<Record<ActionType, ReactNode>> = {
  pause: controlWords('start no new runs until resumed'),
  resume: controlWords('return to their own schedule'),
  run_now: controlWords('start a run now, which may cost money'),
  set: (
    <>
      Each agent gets the values with its next report, checks them itself, and takes all of them or none. A command
      expires if its agent does not report within ten minutes. The next page shows each agent’s answer.
    </>
  ),
  log: (
    <>
      Each agent sends the end of its log, at most 512 KB, with its secrets masked. The next page leads to each log that
      arrives. Logs are kept for 30 days, and only admins can read them.
    </>
  ),
  lift: (
    <>
      This only allows the runtime update to be requested again. Fix the cause of the failure first: another failure
      puts the version on hold again. This can’t be undone.
    </>
  ),
  delete: (
    <>
      This can’t be undone.
      <ul className="svc-consequences">
        <li>Only agents that never reported are deleted, so no runs, costs or logs are lost.</li>
        <li>Their tokens stop working immediately: a machine that still has one is refused.</li>
        <li>Their tags, mutes and hours go with them. Their names are free again.</li>
      </ul>
    </>
  ),
}

interface ReachProps {
  type: ActionType
  reach: UseQueryResult<ActionPreview>
  /** False while the person still has to choose a value. */
  isAsked: boolean
}

/** Says before an action is sent which agents it does not reach, and why. */
function ActionReach({ type, reach: { data, error, isFetching, refetch }, isAsked }: ReachProps) {
  if (!isAsked) return null
  if (error && !isFetching) return <ErrorNote error={error} retry={refetch} />
  if (!data)
    return (
      <p className="svc-quiet" role="status">
        Checking which agents it reaches…
      </p>
    )
  const skipped = previewWords(type, data)
  return (
    <div className="act-reach">
      <p role="status">
        {skipped === null ? (
          `It reaches ${data.sends === 1 ? 'the agent' : `all ${agentsIn(data.sends)}`}.`
        ) : (
          <strong>{skipped}.</strong>
        )}
      </p>
      {reasonsIn(data).map(({ message, names }) => (
        <NameList key={message} title={message} names={names} />
      ))}
    </div>
  )
}

/** The maximum number of names that are drawn. */
const maxNames = 500

/** Names of agents in a box that scrolls. */
function NameList({ title, names }: { title: string; names: readonly string[] }) {
  const more = names.length - maxNames
  return (
    <div className="act-names">
      <p className="svc-quiet">
        <Text>{title}</Text>
      </p>
      <Scroll label={title} className="act-names-list">
        {names.slice(0, maxNames).map((name, i) => (
          <Fragment key={name}>
            {i > 0 && ', '}
            <span className="act-name">{name}</span>
          </Fragment>
        ))}
        {more > 0 && ` and ${more.toLocaleString('en-US')} more`}
      </Scroll>
    </div>
  )
}
