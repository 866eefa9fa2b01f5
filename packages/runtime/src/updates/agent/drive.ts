/**
 * Runs an update through its states (moves.ts). A step returns what happened, and the table picks the next state. The
 * journal is written before the next step starts; if that fails, no download and no swap is started.
 */
import { messageOf } from '../../machine/base/errors.ts'
import { readScale, wait } from '../../machine/base/time.ts'
import { busyWith } from '../../state/versions/busy.ts'
import { sweepVersions } from '../../state/versions/folders.ts'
import { type UpdateStepResult, updateAfterStep } from './change.ts'
import { tickMs, type UpdateContext, type UpdateStep } from './ground.ts'
import type { Update } from './journal.ts'
import type { UpdateState } from './moves.ts'
import { proving } from './proving.ts'
import { fetching, idle, staging, swapping, undoing } from './steps.ts'
import { watching } from './watching.ts'

const steps: Readonly<Record<UpdateState, UpdateStep>> = {
  idle,
  fetching,
  staging,
  swapping,
  proving,
  watching,
  undoing,
}

export async function driveUpdates(ground: UpdateContext): Promise<void> {
  sweep(ground)
  for (;;) {
    const result = await steps[ground.now().state](ground, ground.now())
    if (!result) break
    await go(ground, result)
  }
  leave(ground)
}

/** Writes the journal after a step, and removes versions that are no longer needed. */
async function go(ground: UpdateContext, result: UpdateStepResult): Promise<void> {
  const next = updateAfterStep(ground.now(), result, stepMoment())
  if (next.state === 'swapping') {
    const dropped = await turn(ground)
    // The update is not started. If a version is being watched, its watch goes on.
    if (dropped && result.event === 'present') return
    if (dropped) return void note(ground, updateAfterStep({ ...next, state: 'staging' }, dropped, stepMoment()))
  }
  const unsaved = note(ground, next)
  // Without the journal, a start after a kill could not know of a download or a swap, so neither is started.
  if (unsaved && (next.state === 'fetching' || next.state === 'swapping'))
    note(ground, updateAfterStep(next, { event: 'unreachable', why: unsaved }, stepMoment()))
  if (ground.now().state === 'idle' || ground.now().state === 'watching') sweep(ground)
}

/**
 * Waits while a new runtime is on trial (D31). Returns the event `dropped` if the update is aborted in the meantime.
 */
async function turn({ folder, attempt }: UpdateContext): Promise<UpdateStepResult | undefined> {
  while (busyWith(folder) === 'runtime update') if (!(await wait(tickMs(), attempt()))) return { event: 'dropped' }
  return attempt().aborted ? { event: 'dropped' } : undefined
}

/**
 * Prepares the journal for a clean end of the runtime. A download or an unpacking is dropped; after the next start it
 * is done again if the service still wishes that version. A trial that is interrupted here is not counted.
 */
function leave(ground: UpdateContext): void {
  const { state, proofs = 1 } = ground.now()
  if (state === 'fetching' || state === 'staging')
    note(ground, updateAfterStep(ground.now(), { event: 'dropped' }, stepMoment()))
  if (state === 'proving') note(ground, { ...ground.now(), proofs: proofs - 1 })
}

/** Writes the new state to the journal. If that fails, returns why; the state is then only in memory. */
function note(ground: UpdateContext, next: Update): string | undefined {
  const { applied } = ground.now()
  const why = ground.save(next)
  if (next.applied && next.applied !== applied) ground.say(`update ${next.applied.message}`)
  return why
}

function sweep({ folder, now, say }: UpdateContext): void {
  const { running, previous, to, away, state } = now()
  if (state === 'undoing') return
  try {
    sweepVersions(
      folder,
      [running, previous, to, away].flatMap((r) => (r ? [r.sha256] : [])),
    )
  } catch (error) {
    say(`old versions could not be removed: ${messageOf(error)}`)
  }
}

/** The arguments of `updateAfterStep` that depend on the moment. */
export const stepMoment = (): { at: number; chance: number; scale: number } => ({
  at: Date.now(),
  chance: Math.random(),
  scale: readScale(process.env.SVC_TIME_SCALE),
})
