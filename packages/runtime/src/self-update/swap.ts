/** Step `swapping` of an attempt: asks the launcher to put the file in place, which then ends this thread. */
import type { Folder } from '../files/folder.ts'
import type { FromWorker } from '../launcher/contract.ts'
import { duration, wait } from '../time.ts'
import { version } from '../version.ts'
import { busyWith } from '../versions/busy.ts'
import type { StepResult } from './fetch.ts'
import { type AttemptNote, writeAttempt } from './journal.ts'

/** The seconds that the launcher may take to answer. */
const launcherSeconds = 60
const lookSeconds = 5

interface Swapping {
  readonly folder: Folder
  readonly stop: AbortSignal
  readonly say: (line: string) => void
  readonly tell: (message: Extract<FromWorker, { is: 'swap' }>) => void
  /** The note as it was written when the attempt started. */
  readonly attempt: AttemptNote
  /** True while its version is wished. */
  readonly wished: () => boolean
  /** Returns why the launcher does not swap. It must be called before the launcher is asked. */
  readonly refusal: () => Promise<string>
}

/** Waits while a version of the agent is neither kept nor rolled back (D31). */
export async function swapping(
  { folder, stop, say, tell, attempt, wished, refusal }: Swapping,
  staged: string,
  sha256: string,
): Promise<StepResult> {
  const { wish } = attempt
  if (busyWith(folder) === 'blueprint update') {
    writeAttempt(folder, { ...attempt, begun: attempt.begun - 1 }) // if something ends the runtime meanwhile, that is not this attempt's fault
    say(`runtime ${wish} waits until the new version of the agent is kept or back`)
  }
  while (busyWith(folder) === 'blueprint update') {
    if (!(await wait(duration(lookSeconds), stop)) || !wished())
      return { is: 'dropped', why: 'the wish was taken back' }
  }
  writeAttempt(folder, { ...attempt, is: 'swapping' })
  const refused = refusal()
  tell({ is: 'swap', staged, from: version, to: { version: wish, sha256 } })
  const late = wait(duration(launcherSeconds), stop).then((whole) =>
    whole ? 'the launcher did not answer' : undefined,
  )
  const why = await Promise.race([refused, late])
  return why === undefined
    ? { is: 'done', value: undefined }
    : { is: 'unable', why: `it could not be put in place: ${why}` }
}
