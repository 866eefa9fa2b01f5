import type { SettingValue } from '@svc/protocol'
import { type Dispatch, type SetStateAction, useCallback, useMemo, useState } from 'react'
import type { RawValue } from './raw.ts'

/**
 * A setting that the person has changed on the page and not sent: `raw` is the content of its input, and `base` the
 * value that the agent reported when the person started.
 */
export interface Draft {
  readonly raw: RawValue
  readonly base: SettingValue | undefined
}
/** The drafts of the settings form, by the keys of the settings. */
export type Drafts = Readonly<Record<string, Draft>>

/**
 * The changes that a person made in the settings form and has not sent. They stay when the person opens another tab,
 * but not when they leave the agent's page.
 */
export interface SettingsDrafts {
  readonly drafts: Drafts
  readonly setDrafts: Dispatch<SetStateAction<Drafts>>
  /**
   * True after the person tried to send the form, until its values are sent or discarded. While it is true, the form
   * marks every wrong value.
   */
  readonly tried: boolean
  readonly setTried: (tried: boolean) => void
  readonly discard: () => void
}

/** Keeps the drafts of the settings form while the agent's page is open. */
export function useDrafts(): SettingsDrafts {
  const [drafts, setDrafts] = useState<Drafts>({})
  const [tried, setTried] = useState(false)
  const discard = useCallback(() => {
    setDrafts({})
    setTried(false)
  }, [])
  return useMemo(() => ({ drafts, setDrafts, tried, setTried, discard }), [drafts, tried, discard])
}
