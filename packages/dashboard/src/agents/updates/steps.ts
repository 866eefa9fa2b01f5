/** The steps of an update as a picture shows them. Pure. */
import type { WishState } from '@svc/api'

interface UpdateStep {
  readonly name: string
  /** `next` is the step that is waited for, `no` the one at which the update ended. */
  readonly is: 'done' | 'next' | 'no' | 'later'
}

const names = ['Requested', 'Sent', 'Downloaded', 'Tested', 'Kept'] as const

/** The number of steps that are done in each state, and whether the update ended at the next one. */
const progress: Readonly<Record<WishState, { readonly done: number; readonly ended?: true } | undefined>> = {
  none: undefined,
  queued: { done: 1 },
  waiting: { done: 1 },
  offered: { done: 2 },
  trying: { done: 3 },
  kept: { done: 5 },
  rolled_back: { done: 3, ended: true },
  failed: { done: 2, ended: true },
  held: { done: 2, ended: true },
}

/** The steps of a requested update; undefined if none is requested. */
export function stepsOf(state: WishState): UpdateStep[] | undefined {
  const at = progress[state]
  return (
    at &&
    names.map((name, i) => ({ name, is: i < at.done ? 'done' : i > at.done ? 'later' : at.ended ? 'no' : 'next' }))
  )
}
