import type { ReactNode } from 'react'
import { ErrorNote } from '../index.ts'
import { WaitingPage } from './WaitingPage.tsx'

interface QueryStateProps {
  of: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown }
  /** The part to show until there is data; null shows nothing. */
  waiting?: ReactNode
}

/**
 * The state of a query: its error, with a button to try again, or a sign that its data is loading. Without an error,
 * nothing is shown once there is data. The data may be older than the error.
 */
export function QueryState({ of: { data, error, refetch }, waiting = <WaitingPage /> }: QueryStateProps) {
  if (error) return <ErrorNote error={error} retry={refetch} />
  return data === undefined ? waiting : null
}
