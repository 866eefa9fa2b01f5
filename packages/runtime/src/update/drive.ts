/**
 * Drives an update through its states (moves.ts). A step returns what happened and never picks the next state; the
 * journal is written before the next step starts.
 */
import { messageOf } from '../errors.ts'
import { readScale, wait } from '../time.ts'
import { busyWith } from '../versions/busy.ts'
import { sweepVersions } from '../versions/folders.ts'
import { type Came, change } from './change.ts'
import { fetching } from './fetching.ts'
import { type Ground, tickMs, type UpdateStep } from './ground.ts'
import { idle } from './idle.ts'
import type { Update } from './journal.ts'
import type { UpdateState } from './moves.ts'
import { proving } from './proving.ts'
import { staging } from './staging.ts'
import { swapping } from './swapping.ts'
import { undoing } from './undoing.ts'
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

export async function drive(ground: Ground): Promise<void> {
  sweep(ground)
  for (;;) {
    const came = await steps[ground.now().state](ground, ground.now())
    if (!came) break
    await go(ground, came)
  }
  leave(ground)
}

/** Writes the journal. The next step may start only if everything that must be written is. */
async function go(ground: Ground, came: Came): Promise<void> {
  const next = change(ground.now(), came, how())
  if (next.state === 'swapping') {
    const dropped = await turn(ground)
    if (dropped && came.event === 'present') return // nothing was started, and a window continues
    if (dropped) return void note(ground, change({ ...next, state: 'staging' }, dropped, how()))
  }
  const unsaved = note(ground, next)
  // Without a note no step is started of which a start after a kill would have to know.
  if (unsaved && (next.state === 'fetching' || next.state === 'swapping'))
    note(ground, change(next, { event: 'unreachable', why: unsaved }, how()))
  if (ground.now().state === 'idle' || ground.now().state === 'watching') sweep(ground)
}

/** Waits while a runtime is on trial (D31). */
async function turn({ folder, attempt }: Ground): Promise<Came | undefined> {
  while (busyWith(folder) === 'runtime update') if (!(await wait(tickMs(), attempt()))) return { event: 'dropped' }
  return attempt().aborted ? { event: 'dropped' } : undefined
}

/**
 * Prepares for a clean end: a step that changed nothing is started again later, and an unfinished proof does not count
 * as a failed one.
 */
function leave(ground: Ground): void {
  const { state, proofs = 1 } = ground.now()
  if (state === 'fetching' || state === 'staging') note(ground, change(ground.now(), { event: 'dropped' }, how()))
  if (state === 'proving') note(ground, { ...ground.now(), proofs: proofs - 1 })
}

/** Notes the new state. Returns why it could not be written; it is in memory in any case. */
function note(ground: Ground, next: Update): string | undefined {
  const { applied } = ground.now()
  const why = ground.save(next)
  if (next.applied && next.applied !== applied) ground.say(`update ${next.applied.message}`)
  return why
}

function sweep({ folder, now, say }: Ground): void {
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

export const how = (): { at: number; chance: number; scale: number } => ({
  at: Date.now(),
  chance: Math.random(),
  scale: readScale(process.env.SVC_TIME_SCALE),
})
