import type { SettingValue } from '@svc/protocol'
import { type Dispatch, type SetStateAction, useCallback, useMemo, useState } from 'react'

/** The content of an input: text for typed kinds, the option's index for a select, null for "not set". */
export type Raw = string | boolean | null

/** A value that the person has changed, together with the value that was reported when they started. */
export interface Draft {
  readonly raw: Raw
  readonly base: SettingValue | undefined
}
export type Drafts = Readonly<Record<string, Draft>>

/**
 * Changes that a person typed in the settings form and has not sent. They survive switching tabs, but not leaving the
 * agent's page.
 */
export interface SettingsDrafts {
  readonly drafts: Drafts
  readonly setDrafts: Dispatch<SetStateAction<Drafts>>
  /** True once the person tried to send invalid values. From then on every wrong value is marked. */
  readonly tried: boolean
  readonly setTried: (tried: boolean) => void
  readonly discard: () => void
}

export function useDrafts(): SettingsDrafts {
  const [drafts, setDrafts] = useState<Drafts>({})
  const [tried, setTried] = useState(false)
  const discard = useCallback(() => {
    setDrafts({})
    setTried(false)
  }, [])
  return useMemo(() => ({ drafts, setDrafts, tried, setTried, discard }), [drafts, tried, discard])
}
