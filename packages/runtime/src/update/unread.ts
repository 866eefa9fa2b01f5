/**
 * A file that cannot be read is not one that is not there: who took the journal for that would forget what is on hold, and remove the
 * version to go back to; without the note of the installation no version would be changed until the next start. Until both can be
 * read no version is swept, swapped or proved, and that is said.
 */
import type { Applied, HealthItem, ReceivedAnswer } from '@svc/protocol'
import type { Folder } from '../files/folder.ts'
import { unreadableInstall } from '../install/note.ts'
import type { ProcessState } from '../launcher/moves.ts'
import { duration, wait } from '../time.ts'
import { unreadable } from './journal.ts'

/** The updates of an agent, as its side on the machine follows them. */
export interface Updates {
  /** An answer of the service came (2.7). */
  heard(answer: Pick<ReceivedAnswer, 'desired'>): void
  /** The launcher tells of the agent's process. */
  changed(state: ProcessState): void
  /** Undefined while nobody knows. */
  applied(): Applied | undefined
  health(): HealthItem[]
  /** Resolves when everything is noted after `stop`. */
  readonly over: Promise<void>
}

const againSeconds = 10

/** Why updates stand still, as a sentence; undefined when they do not. */
export function standstill(folder: Pick<Folder, 'install' | 'update'>): string | undefined {
  const why = unreadableInstall(folder) ?? unreadable(folder)
  return why && `No version is changed, because ${why}.`
}

/** Begins as soon as everything can be read, at once if it can. */
export function onceReadable(
  folder: Folder,
  stop: AbortSignal,
  say: (line: string) => void,
  begin: () => Updates | undefined,
): Updates | undefined {
  let why = standstill(folder)
  if (why === undefined) return begin()
  say(why)
  let it: Updates | undefined
  const over = (async () => {
    while (why !== undefined) {
      if (!(await wait(duration(againSeconds), stop))) return
      const now = standstill(folder)
      if (now !== undefined && now !== why) say(now)
      why = now
    }
    it = begin()
    await it?.over
  })()
  return {
    heard: (answer) => it?.heard(answer),
    changed: (state: ProcessState) => it?.changed(state),
    applied: () => it?.applied(),
    health: () => (why === undefined ? (it?.health() ?? []) : [{ name: 'Update', level: 'warn', detail: why }]),
    over,
  }
}
