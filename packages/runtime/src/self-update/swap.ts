/** Step `swapping` of an attempt: the launcher is asked to put the file in place, and ends this thread when it does. */
import type { Folder } from '../files/folder.ts'
import type { FromWorker } from '../launcher/contract.ts'
import { duration, wait } from '../time.ts'
import { version } from '../version.ts'
import { busyWith } from '../versions/busy.ts'
import type { StepResult } from './fetch.ts'
import { type AttemptNote, writeAttempt } from './journal.ts'

/** How long the launcher may take to answer. */
const launcherSeconds = 60
const lookSeconds = 5

interface Swapping {
  readonly folder: Folder
  readonly stop: AbortSignal
  readonly say: (line: string) => void
  readonly tell: (message: Extract<FromWorker, { is: 'swap' }>) => void
  /** As it was noted when the attempt began. */
  readonly attempt: AttemptNote
  /** Whether its version is still wished. */
  readonly wished: () => boolean
  /** Why the launcher does not swap; asked for before it is told to. */
  readonly refusal: () => Promise<string>
}

/** D31: not while a version of the agent is neither kept nor back. */
export async function swapping(
  { folder, stop, say, tell, attempt, wished, refusal }: Swapping,
  staged: string,
  sha256: string,
): Promise<StepResult> {
  const { wish } = attempt
  if (busyWith(folder) === 'blueprint update') {
    writeAttempt(folder, { ...attempt, begun: attempt.begun - 1 }) // what ends the runtime meanwhile is not this attempt
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
