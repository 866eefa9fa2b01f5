import type { ReactNode } from 'react'
import { ErrorNote } from '../index.ts'
import { WaitingPage } from './WaitingPage.tsx'

interface QueryStateProps {
  of: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown }
  /** The part to show until there is data; null shows nothing. */
  waiting?: ReactNode
}

/**
 * Shows the error of a query, with a button to try again, or else `waiting` until there is data. An error is shown even
 * if there is data from an earlier try.
 */
export function QueryState({ of: { data, error, refetch }, waiting = <WaitingPage /> }: QueryStateProps) {
  if (error) return <ErrorNote error={error} retry={refetch} />
  return data === undefined ? waiting : null
}
