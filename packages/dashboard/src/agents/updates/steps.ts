/** The steps of an update as a picture shows them. Pure. */
import type { RolloutKind, WishState } from '@svc/api'

interface UpdateStep {
  readonly name: string
  /** `next` is the step that is waited for, `no` the one at which the update ended. */
  readonly is: 'done' | 'next' | 'no' | 'later'
  /** The reason why the step is not done, in words; undefined if there is nothing to say. */
  readonly note?: string
}

const names = ['Requested', 'Sent', 'Downloaded', 'Tested', 'Kept'] as const

interface Progress {
  readonly done: number
  readonly ended?: true
  readonly note?: string
}

/** The number of steps that are done in each state, and whether the update ended at the next one. */
const progress: Readonly<Record<WishState, Progress | undefined>> = {
  none: undefined,
  queued: { done: 1 },
  waiting: { done: 1 },
  offered: { done: 2 },
  trying: { done: 3 },
  kept: { done: 5 },
  rolled_back: { done: 3, ended: true },
  failed: { done: 2, ended: true },
  held: { done: 1, ended: true },
}

/** A download of a blueprint that failed is tried again. A runtime that failed is on hold. */
const retried: Progress = { done: 2, note: 'the last try failed' }

/** The steps of a requested update; undefined if none is requested. */
export function updateStepsOf(state: WishState, of: RolloutKind): UpdateStep[] | undefined {
  const at = of === 'blueprint' && state === 'failed' ? retried : progress[state]
  return (
    at &&
    names.map((name, i) => ({
      name,
      is: i < at.done ? 'done' : i > at.done ? 'later' : at.ended ? 'no' : 'next',
      ...(i === at.done && at.note !== undefined && { note: at.note }),
    }))
  )
}
