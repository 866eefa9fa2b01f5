import type { FilterPlace } from '@svc/api'
import { Fragment } from 'react'
import { Text } from './Text.tsx'

/** Says which terms of a filter exclude no agent, so that a term with a mistake is seen before somebody acts on all. */
export const IdleFilterTerms = ({ text, places }: { text: string; places: readonly FilterPlace[] | undefined }) =>
  places && places.length > 0 ? (
    <p className="svc-idle" role="status">
      {places.map(({ at, length }, i) => (
        <Fragment key={at}>
          {i > 0 && ' '}
          <Text mono>{text.slice(at, at + length)}</Text> excludes no agent.
        </Fragment>
      ))}
    </p>
  ) : null
