import type { ActionPreview, ActionType } from '@svc/api'
import type { UseQueryResult } from '@tanstack/react-query'
import { Fragment } from 'react'
import { ErrorNote, Scroll, Text } from '../../ui/index.ts'
import { agentsIn, previewWords, reasonsIn } from './words.ts'

interface ReachProps {
  type: ActionType
  reach: UseQueryResult<ActionPreview>
  /** False while the person still has to choose a value. */
  isAsked: boolean
}

/** Says before an action is sent which agents it does not reach, and why. */
export function Reach({ type, reach: { data, error, isFetching, refetch }, isAsked }: ReachProps) {
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
        <Names key={message} title={message} names={names} />
      ))}
    </div>
  )
}

/** The maximum number of names that are drawn. */
const maxNames = 500

/** Names of agents in a box that scrolls. */
export function Names({ title, names }: { title: string; names: readonly string[] }) {
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
