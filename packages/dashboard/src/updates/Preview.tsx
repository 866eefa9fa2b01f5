import { Button, Loader } from '@mantine/core'
import type { BlockingRollout, RolloutPreview } from '@svc/api'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { paths } from '../paths.ts'
import { widthsOf } from '../ui/charts/scale.ts'
import { count, ErrorNote, Section, Text, WhyButton } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { figure } from '../ui/time/format.ts'
import { rolloutWords, upToWords } from './parts/looks.ts'
import type { UpdatePlan } from './plan.ts'
import { rolloutTitleOf } from './UpdatesPage.tsx'

interface PreviewProps {
  slug: string
  how: UpdatePlan['how']
  preview: UseQueryResult<RolloutPreview | null>
  end: { send: (ids: readonly string[]) => void; why: string | null }
}

/** Shows, before an update is sent, which agents are in which wave, and which are left out and why. */
export function Preview({ slug, how, preview: { data, error, refetch }, end }: PreviewProps) {
  if (error) return <ErrorNote error={error} retry={refetch} />
  if (!data) return <Loader size="sm" m="md" aria-label="Loading" />
  const { waves, leftOut, blockedBy } = data
  const others = leftOut.filter(({ rollout }) => !blockedBy.some(({ id }) => id === rollout))
  return (
    <Section title="Preview" flush>
      <div className="up-preview">
        {waves.length === 0 && <p>No agents to update.</p>}
        {how === 'waves' && waves.length > 1 && <PreviewBar waves={waves} />}
        {waves.map(({ upTo, agents }, i) => (
          <section key={upTo}>
            <h3>
              {how === 'waves' ? `Wave ${i + 1}, ${upToWords(upTo)}: ` : ''}
              {count(agents.length, 'agent')}
            </h3>
            <Names label={`Agents of wave ${i + 1}`} agents={agents} />
          </section>
        ))}
        {leftOut.length > 0 && (
          <section>
            <h3>Not included: {count(leftOut.length, 'agent')}</h3>
            {blockedBy.map((other) => (
              <BlockingRolloutNote
                key={other.id}
                slug={slug}
                other={other}
                agents={leftOut.filter(({ rollout }) => rollout === other.id).map(({ agent }) => agent)}
                end={end}
              />
            ))}
            {[...Map.groupBy(others, ({ message }) => message)].map(([message, agents]) => (
              <LeftOut key={message} slug={slug} message={message} agents={agents.map(({ agent }) => agent)} />
            ))}
          </section>
        )}
      </div>
    </Section>
  )
}

/** Shows the agents that are left out for one reason. */
function LeftOut({ slug, message, agents }: { slug: string; message: string; agents: readonly string[] }) {
  return (
    <div className="up-left-out">
      <p className="svc-quiet">
        <Text>{message}</Text>
      </p>
      <Names slug={slug} label={message} agents={agents} />
    </div>
  )
}

/** The maximum number of agents that are named at first, and after a person asked for all. */
const maxNamed = { atFirst: 12, all: 200 } as const

interface NamesProps {
  /** The name of the list for screen readers. */
  label: string
  agents: readonly string[]
  /** The workspace, if each name is a link to the updates of the agent. */
  slug?: string
}

/** Lists the names of agents. A button shows the rest of a long list. */
function Names({ label, agents, slug }: NamesProps) {
  const [isOpen, setOpen] = useState(false)
  const isFolded = !isOpen && agents.length > maxNamed.atFirst
  const shown = agents.slice(0, isFolded ? maxNamed.atFirst - 1 : maxNamed.all)
  const more = agents.length - shown.length
  return (
    <>
      <ul className="svc-list up-names" aria-label={label}>
        {shown.map((name) => (
          <li key={name}>
            {slug === undefined ? (
              name
            ) : (
              <AnchorLink
                to={paths.agent}
                params={{ slug, name }}
                search={{ tab: 'updates' }}
                fz="sm"
                underline="always"
              >
                {name}
              </AnchorLink>
            )}
          </li>
        ))}
      </ul>
      {isFolded ? (
        <Button variant="subtle" size="compact-xs" px={6} ml={-7} onClick={() => setOpen(true)}>
          {`and ${figure(more)} more`}
        </Button>
      ) : (
        more > 0 && <p className="svc-quiet">{`and ${figure(more)} more`}</p>
      )}
    </>
  )
}

interface BlockingProps {
  slug: string
  other: BlockingRollout
  /** The names of the agents that the other rollout keeps out of the new one. */
  agents: readonly string[]
  end: PreviewProps['end']
}

/** Names an unfinished rollout whose agents the new rollout leaves out. The button ends it and starts the new one. */
const BlockingRolloutNote = ({ slug, other, agents, end }: BlockingProps) => (
  <div className="svc-notice up-blocking" role="note">
    <p>
      {count(agents.length, 'agent')} {agents.length === 1 ? 'is' : 'are'} in the rollout of{' '}
      <AnchorLink to={paths.rollout} params={{ slug, id: other.id }} fz="sm" underline="always">
        <Text>{rolloutTitleOf(other)}</Text>
      </AnchorLink>
      , which is {rolloutWords[other.state].word}:
    </p>
    <Names slug={slug} label={`Agents in the rollout of ${rolloutTitleOf(other)}`} agents={agents} />
    <p>To reach {agents.length === 1 ? 'it' : 'them'}, end that rollout and start this one.</p>
    <WhyButton variant="default" size="xs" onClick={() => end.send([other.id])} why={end.why}>
      End it and go on
    </WhyButton>
  </div>
)

/** The waves as one bar, in the widths that they will have on the page of the rollout. */
function PreviewBar({ waves }: Pick<RolloutPreview, 'waves'>) {
  const widths = widthsOf(
    waves.map(({ agents }) => agents.length),
    100,
    8,
  )
  return (
    <ol className="svc-list up-plan" aria-label="The waves in a picture">
      {waves.map(({ upTo, agents }, i) => (
        <li key={upTo} style={{ flexBasis: `${widths[i]}%` }}>
          <strong className="up-plan-bar">{i + 1}</strong>{' '}
          <span className="svc-quiet">
            {/* Only the last wave has room for the word after the number. */}
            {i === waves.length - 1 ? count(agents.length, 'agent') : figure(agents.length)}
          </span>
        </li>
      ))}
    </ol>
  )
}
