import { Button, TextInput } from '@mantine/core'
import type { ActionPage as Action, agentDeleted } from '@svc/api'
import { wordSearch } from '@svc/api/filter'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../data/queries.ts'
import { useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { count, LeftOut, Section, Text, Tone } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { groupsIn, outcomeReason, outcomeWords } from './dialogs/words.ts'

const route = getRouteApi('/signed-in/w/$slug/actions/$id')

/** The number of agents that are shown at first, and how many a press adds. Thousands at once would take seconds. */
const step = 200

/** Lists the agents of an action in groups of one outcome and reason. Outcomes that need a person come first. */
export function ActionAgents({ slug, action }: { slug: string; action: Action }) {
  const { state } = route.useSearch()
  const [sought, setSought] = useState('')
  const [maxShown, setMaxShown] = useState(step)
  // If an action is too large for one answer, the agents in one state are requested separately.
  const isWhole = action.leftOff === undefined || state === undefined
  const part = useQuery({ ...read('GET /w/:slug/actions/:id', { slug, id: action.id }, { state }), enabled: !isWhole })
  const { agents, leftOff } = (isWhole ? undefined : part.data) ?? action
  const isSought = wordSearch(sought)
  const fitting = agents.filter(
    (agent) => (state === undefined || agent.state === state) && isSought([agent.name, outcomeReason(agent)]),
  )
  let room = maxShown
  return (
    <Section title="Agents" aside={fitting.length < agents.length && count(fitting.length, 'agent')} flush>
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
      {groupsIn(fitting).map((group) => {
        const shown = group.agents.slice(0, room)
        room -= shown.length
        return (
          shown.length > 0 && (
            <StateGroup
              key={`${group.state} ${group.reason}`}
              slug={slug}
              type={action.type}
              group={{ ...group, agents: shown }}
              all={group.agents.length}
            />
          )
        )
      })}
      {fitting.length > maxShown && (
        <div className="act-more">
          <Button variant="default" size="xs" onClick={() => setMaxShown(maxShown + step)}>
            {`Show ${Math.min(step, fitting.length - maxShown).toLocaleString('en-US')} more`}
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

interface GroupProps {
  slug: string
  type: Action['type']
  group: ReturnType<typeof groupsIn<Action['agents'][number]>>[number]
  /** The number of agents in the group. `group.agents` may have only the first of them. */
  all: number
}

/** The agents of one outcome and reason. */
function StateGroup({ slug, type, group: { state, reason, agents }, all }: GroupProps) {
  const { word, tone } = outcomeWords[state]
  return (
    <div className="act-group">
      <div>
        <Tone tone={tone}>{word}</Tone> <span className="svc-quiet">{all.toLocaleString('en-US')}</span>
        {reason !== null && (
          <p>
            <Text>{reason}</Text>
          </p>
        )}
      </div>
      <ul aria-label={`Agents: ${word}`}>
        {agents.map((agent) => (
          <OneAgent key={agent.name} slug={slug} type={type} agent={agent} />
        ))}
      </ul>
    </div>
  )
}

/** A copy of the service's constant. The compiler checks that both are the same. */
const deleted: typeof agentDeleted = 'The agent was deleted.'

function OneAgent({ slug, type, agent }: { slug: string; type: Action['type']; agent: Action['agents'][number] }) {
  const { role } = useWorkspace()
  const { name, state, message, log } = agent
  const isGone = message === deleted || (type === 'delete' && state === 'applied')
  return (
    <li className="act-agent">
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
    </li>
  )
}
