import { type Dispatch, type SetStateAction, useCallback, useMemo, useState } from 'react'
import type { Drafts } from './form.ts'

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
