/**
 * Last step of an update that is rolled back: makes `current` lead to the previous version again. The outcome and the
 * hold are noted before this step. If the disk refuses, it is repeated until it succeeds.
 */
import { messageOf } from '../../machine/base/errors.ts'
import { duration, wait } from '../../machine/base/time.ts'
import { lead, leadsTo, nameOf } from '../../state/versions/folders.ts'
import type { UpdateStep } from './ground.ts'

const againSeconds = 60

export const undoing: UpdateStep = async ({ folder, stop, say, look }, { running, away }) => {
  for (;;) {
    try {
      if (leadsTo(folder) !== nameOf(running.sha256)) lead(folder, running.sha256)
      say(`update ${away?.version ?? 'unknown'} -> ${running.version}: it is back`)
      look()
      return { event: 'done' }
    } catch (error) {
      say(`the version before could not be put back: ${messageOf(error)}`)
    }
    if (!(await wait(duration(againSeconds), stop))) return undefined
  }
}
