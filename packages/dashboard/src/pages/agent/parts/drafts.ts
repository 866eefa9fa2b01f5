import type { SettingValue } from '@svc/protocol'
import { type Dispatch, type SetStateAction, useCallback, useMemo, useState } from 'react'

/**
 * The content of the input of a setting: text for typed kinds, the index of the option for a select, a boolean for a
 * switch, null for "not set".
 */
export type Raw = string | boolean | null

/**
 * A setting that the person has changed and not sent: the content of its input, and in `base` the value that was
 * reported when the person started.
 */
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
  /**
   * True after the person tried to send the form, until its values are sent or discarded. While it is true, every wrong
   * value is marked.
   */
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
