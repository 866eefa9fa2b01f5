/**
 * Step `swapping` of an attempt: asks the launcher to put the new file in place. If the launcher does, it ends this
 * thread.
 */

import type { FromWorker } from '../../launcher/contract.ts'
import { duration, patience, wait } from '../../machine/base/time.ts'
import { version } from '../../machine/base/version.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { busyWith } from '../../state/versions/busy.ts'
import type { StepResult } from './fetch.ts'
import { type AttemptNote, writeAttempt } from './journal.ts'

/** The seconds in which the launcher must answer. */
const launcherSeconds = 60
const lookSeconds = 5

interface Swapping {
  readonly folder: Folder
  readonly stop: AbortSignal
  readonly say: (line: string) => void
  readonly tell: (message: Extract<FromWorker, { is: 'swap' }>) => void
  /** The note about this attempt, as it was written when the attempt started. */
  readonly attempt: AttemptNote
  /** True while the service wishes the version of this attempt. */
  readonly wished: () => boolean
  /** Resolves to the reason if the launcher refuses the swap. It must be called before the launcher is asked. */
  readonly refusal: () => Promise<string>
}

/** Waits while the agent has a version that is neither kept nor rolled back (D31), and then asks for the swap. */
export async function swapping(
  { folder, stop, say, tell, attempt, wished, refusal }: Swapping,
  staged: string,
  sha256: string,
): Promise<StepResult> {
  const { wish } = attempt
  if (busyWith(folder) === 'blueprint update') {
    // this attempt must not be blamed if something else ends the runtime during the wait
    writeAttempt(folder, { ...attempt, begun: attempt.begun - 1 })
    say(`runtime ${wish} waits until the new version of the agent is kept or back`)
  }
  while (busyWith(folder) === 'blueprint update') {
    if (!(await wait(duration(lookSeconds), stop)) || !wished())
      return { is: 'dropped', why: 'the wish was taken back' }
  }
  writeAttempt(folder, { ...attempt, is: 'swapping' })
  const refused = refusal()
  tell({ is: 'swap', staged, from: version, to: { version: wish, sha256 } })
  const late = wait(patience(launcherSeconds), stop).then((whole) =>
    whole ? 'the launcher did not answer' : undefined,
  )
  const why = await Promise.race([refused, late])
  return why === undefined
    ? { is: 'done', value: undefined }
    : { is: 'unable', why: `it could not be put in place: ${why}` }
}
