import type { FilterPlace } from '@svc/api'
import { Fragment } from 'react'
import { Text } from './Text.tsx'

interface IdleFilterTermsProps {
  text: string
  places: readonly FilterPlace[] | undefined
  /** `status` makes screen readers read the note when it appears. Leave it out if a parent has this role. */
  role?: 'status'
}

/** Says which terms of a filter exclude no agent. Such a term may be a mistake, so that the filter selects too many. */
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
