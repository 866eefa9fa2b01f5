/**
 * A journal that cannot be read is not one that is not there: who took it for that would forget what is on hold, and remove the version to
 * go back to. Until it can be read no version is swept, swapped, reported or proved.
 */
import type { ProcessState } from '../launcher/moves.ts'
import { duration, wait } from '../time.ts'
import { unreadable } from './journal.ts'
import type { Updates } from './update.ts'

const againSeconds = 10

export function onceReadable(
  folder: Parameters<typeof unreadable>[0],
  stop: AbortSignal,
  say: (line: string) => void,
  begin: () => Updates | undefined,
): Updates {
  let it: Updates | undefined
  const over = (async () => {
    for (let told: string | undefined; ; ) {
      const why = unreadable(folder)
      if (why === undefined) break
      if (why !== told) say(`${why}: until it can be, no version is changed`)
      told = why
      if (!(await wait(duration(againSeconds), stop))) return
    }
    it = begin()
    await it?.over
  })()
  return {
    heard: (answer) => it?.heard(answer),
    changed: (state: ProcessState) => it?.changed(state),
    applied: () => it?.applied(),
    health: () => it?.health() ?? [],
    over,
  }
}
