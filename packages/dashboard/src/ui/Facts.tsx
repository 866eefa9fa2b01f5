import type { ReactNode } from 'react'
import { Text } from './Text.tsx'
import './parts.css'

interface FactsProps {
  facts: readonly (readonly [name: string, value: ReactNode])[]
}

/** Names and values, one a line; what is missing is not there. A value that is a text is shown as one, whatever it holds. */
export const Facts = ({ facts }: FactsProps) => (
  <dl className="svc-kv">
    {facts.map(
      ([name, value]) =>
        value !== undefined &&
        value !== null &&
        value !== false &&
        value !== '' && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <Text>{value}</Text> : value}</dd>
          </div>
        ),
    )}
  </dl>
)
