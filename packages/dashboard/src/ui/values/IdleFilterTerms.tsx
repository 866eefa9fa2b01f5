import type { FilterPlace } from '@svc/api'
import { Fragment } from 'react'
import { Text } from './Text.tsx'

interface IdleFilterTermsProps {
  text: string
  places: readonly FilterPlace[] | undefined
  /** `status` where the sentence appears by itself, and nothing around it is read out. */
  role?: 'status'
}

/** Says which terms of a filter exclude no agent, so that a term with a mistake is seen before somebody acts on all. */
export const IdleFilterTerms = ({ text, places, role }: IdleFilterTermsProps) =>
  places && places.length > 0 ? (
    <p className="svc-idle" role={role}>
      {places.map(({ at, length }, i) => (
        <Fragment key={at}>
          {i > 0 && ' '}
          <Text mono>{text.slice(at, at + length)}</Text> excludes no agent.
        </Fragment>
      ))}
    </p>
  ) : null
