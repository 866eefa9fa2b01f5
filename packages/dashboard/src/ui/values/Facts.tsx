import type { ReactNode } from 'react'
import { Text } from './Text.tsx'
import '../parts.css'

export interface FactsProps {
  facts: readonly (readonly [name: string, value: ReactNode])[]
}

/**
 * Shows names and values, one pair per line. Pairs without a value are left out. Text in a value is never interpreted
 * as markup.
 */
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
