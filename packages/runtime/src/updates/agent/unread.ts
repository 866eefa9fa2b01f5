/**
 * Waits until the journal of updates and the note of the installation can be read. Without the journal, a start would
 * forget the hold and remove the previous version. Until then no version is changed or removed, and reports say so.
 */
import type { AppliedUpdate, HealthItem, ReceivedAnswer } from '@svc/protocol'
import { scaledMs, wait } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { unreadableInstall } from '../../state/install-note.ts'
import type { ProcessState } from '../../state/process-note.ts'
import { unreadableJournal } from './journal.ts'

/** The updates of an agent, as the rest of the runtime uses them. */
export interface AgentUpdater {
  /** Called with each answer of the service (2.7). */
  heard(answer: Pick<ReceivedAnswer, 'desired'>): void
  /** Called when the launcher reports that the state of the agent's process has changed. */
  changed(state: ProcessState): void
  /** The part `applied` of a report (2.5); undefined while the notes cannot be read. */
  applied(): AppliedUpdate | undefined
  health(): HealthItem[]
  /** Resolves after `stop` is aborted, once no step of an update runs and the journal is no longer written. */
  readonly over: Promise<void>
}

const againSeconds = 10

/** A sentence about why no version is changed; undefined if updates are possible. */
export function whyNoUpdates(folder: Pick<Folder, 'install' | 'update'>): string | undefined {
  const why = unreadableInstall(folder) ?? unreadableJournal(folder)
  return why && `No version is changed, because ${why}.`
}

/** Calls `begin` as soon as both notes can be read: at once if possible, otherwise after repeated tries. */
export function beginOnceReadable(
  folder: Folder,
  stop: AbortSignal,
  say: (line: string) => void,
  begin: () => AgentUpdater | undefined,
): AgentUpdater | undefined {
  let why = whyNoUpdates(folder)
  if (why === undefined) return begin()
  say(why)
  let it: AgentUpdater | undefined
  const over = (async () => {
    while (why !== undefined) {
      if (!(await wait(scaledMs(againSeconds), stop))) return
      const reason = whyNoUpdates(folder)
      if (reason !== undefined && reason !== why) say(reason)
      why = reason
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
