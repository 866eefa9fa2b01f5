/**
 * Updates the runtime itself as the service wishes (3.5): makes attempts, and asks the launcher to put the new file in
 * place. updating.ts makes the decisions.
 */
import { rmSync } from 'node:fs'
import { limits, type ReceivedAnswer, type ServedRuntime } from '@svc/protocol'
import type { FromWorker } from '../../launcher/contract.ts'
import { messageOf } from '../../machine/base/errors.ts'
import { scaledMs, timeoutMs, wait } from '../../machine/base/time.ts'
import { ownVersion } from '../../machine/base/version.ts'
import { createFolder } from '../../machine/files/durable.ts'
import { readConnection } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { sha256OfFile } from '../../machine/files/sha256.ts'
import { isDiskFault } from '../../machine/files/space.ts'
import { busyWith } from '../../state/versions/busy.ts'
import type { RuntimeNote } from '../../state/versions/runtime-note.ts'
import { attemptRuntimeUpdate, type EndedAttempt } from './attempt.ts'
import type { StepResult } from './fetch.ts'
import { type AttemptNote, readAttempt, writeAttempt } from './journal.ts'
import { releaseKeys, whyNeverUpdates } from './keys.ts'
import { readPin } from './pin.ts'
import {
  initialUpdating,
  maxStarted,
  noteBeforeAttempt,
  type RuntimeFiles,
  step,
  type UpdatingAct,
  type UpdatingEvent,
  type UpdatingRules,
} from './updating.ts'

/** The functions and facts that the rest of the runtime gives to `selfUpdate`. */
export interface SelfUpdateHost {
  readonly tell: (message: Extract<FromWorker, { is: 'swap' | 'attempted' | 'lifted' }>) => void
  readonly say: (line: string) => void
  /** Returns the launcher's note about the runtime's own file. */
  readonly note: () => RuntimeNote
  /** Why this process cannot update its runtime; undefined if it can. */
  readonly cannot?: string | undefined
}
/** The functions of `selfUpdate` that the rest of the runtime calls. */
export interface SelfUpdate {
  /** Called with each answer of the service. */
  heard(answer: Pick<ReceivedAnswer, 'runtime' | 'runtime_desired'>): void
  /** Called with the reason if the launcher refused the swap. */
  unswapped(why: string): void
}

export function selfUpdate(folder: Folder, stop: AbortSignal, hands: SelfUpdateHost): SelfUpdate {
  let now = initialUpdating
  let refused: ((why: string) => void) | undefined
  const notes = attemptNotes(folder)
  function on(event: UpdatingEvent): void {
    const { state, acts } = step(now, event, rules(), { wall: Date.now(), mono: performance.now() })
    now = state
    for (const act of acts) perform[act.do](act as never)
  }
  const perform: { readonly [K in UpdatingAct['do']]: (act: Extract<UpdatingAct, { do: K }>) => void } = {
    say: ({ line }) => hands.say(line),
    sweep: () => rmSync(folder.runtimeNew, { recursive: true, force: true }),
    note: ({ attempt }) => notes.keep(attempt),
    close: ({ attempt }) => {
      if (attempt) notes.keep(attempt)
      on({ is: 'closed' })
    },
    tell: ({ message }) => hands.tell(message),
    try: ({ wish, served }) => void make(wish, served),
  }

  const refusal = () =>
    new Promise<string>((resolve) => {
      refused = resolve
    })
  async function make(wish: string, served: ServedRuntime | undefined): Promise<void> {
    const wished = () => now.answer?.wish === wish
    const end = (how: EndedAttempt) => on({ is: 'ended', wish, how, sha256: sha256OfFile(folder.runtime) })
    try {
      end(await tryOnce(folder, stop, hands, { wish, served, wished, refusal, before: notes.read() }))
    } catch (error) {
      end({ event: 'unable', why: messageOf(error) })
    }
  }

  try {
    on({ is: 'begun', attempt: notes.read() })
  } catch (error) {
    hands.say(`what an update of the runtime left could not be swept: ${messageOf(error)}`)
  }
  return {
    heard: ({ runtime: served, runtime_desired: wish }) =>
      on({ is: 'answer', answer: { wish, served }, seen: seenAt(folder, hands.note(), notes.read(), wish) }),
    unswapped: (why) => refused?.(why),
  }
}

const rules = (): UpdatingRules => ({
  version: ownVersion,
  retry: scaledMs(limits.fetchRetrySeconds),
  minApart: scaledMs(60),
})

/** Reads the files that decide about a wish. Without a wish, none of them is read. */
function seenAt(
  folder: Folder,
  note: RuntimeNote,
  attempt: AttemptNote | undefined,
  wish: string | undefined,
): RuntimeFiles {
  if (wish === undefined) return { note, attempt, busy: false }
  return {
    note,
    attempt,
    sha256: note.hold && sha256OfFile(folder.runtime),
    pinned: readPin(folder),
    busy: busyWith(folder) !== undefined,
  }
}

interface WishedRuntime {
  readonly wish: string
  readonly served: ServedRuntime | undefined
  readonly wished: () => boolean
  readonly refusal: () => Promise<string>
  /** The note about the previous attempt; undefined if there was none. */
  readonly before: AttemptNote | undefined
}

/**
 * Reads and writes the note about attempts. A note that the disk refuses stays in memory, and the next read returns it
 * and tries to write it again.
 */
function attemptNotes(folder: Folder) {
  let unsaved: AttemptNote | undefined
  const keep = (note: AttemptNote): void => {
    unsaved = note
    try {
      writeAttempt(folder, note)
      unsaved = undefined
    } catch (error) {
      if (!isDiskFault(error)) throw error
    }
  }
  return {
    keep,
    read: (): AttemptNote | undefined => {
      const note = unsaved
      if (note) keep(note)
      return note ?? readAttempt(folder)
    },
  }
}

async function tryOnce(
  folder: Folder,
  stop: AbortSignal,
  hands: SelfUpdateHost,
  wished: WishedRuntime,
): Promise<EndedAttempt> {
  const { say, tell } = hands
  const { wish, served } = wished
  const why = hands.cannot ?? whyNeverUpdates()
  if (why !== undefined) return { event: 'refused', why }
  const attemptNote = noteBeforeAttempt(wish, wished.before, Date.now())
  if (!attemptNote) return { event: 'unable', why: `the runtime ended ${maxStarted} times while it was tried` }
  writeAttempt(folder, attemptNote)
  say(`runtime ${ownVersion} -> ${wish}: fetching`)
  const connection = readConnection(folder)
  if (!connection.ok) return { event: 'unable', why: connection.message }
  rmSync(folder.runtimeNew, { recursive: true, force: true })
  createFolder(folder.runtimeNew, 0o700)
  const unpinned = () => (readPin(folder) ?? wish) === wish
  return attemptRuntimeUpdate({
    wish,
    served,
    origin: connection.value.origin,
    root: folder.root,
    folder: folder.runtimeNew,
    keys: releaseKeys,
    signal: stop,
    stands: () => wished.wished() && !stop.aborted && unpinned(),
    swap: (staged, sha256) => swapping({ folder, stop, say, tell, attempt: attemptNote, ...wished }, staged, sha256),
  })
}

// Step `swapping` of an attempt: asks the launcher to put the new file in place. The launcher then ends this thread.

/** The seconds in which the launcher must answer. */
const launcherSeconds = 60
const lookSeconds = 5

interface SwapContext {
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
async function swapping(
  { folder, stop, say, tell, attempt, wished, refusal }: SwapContext,
  staged: string,
  sha256: string,
): Promise<StepResult> {
  const { wish } = attempt
  if (busyWith(folder) === 'blueprint update') {
    // If the runtime ends during the wait, this attempt does not count as one that crashed the runtime.
    writeAttempt(folder, { ...attempt, begun: attempt.begun - 1 })
    say(`runtime ${wish} waits until the new version of the agent is kept or back`)
  }
  while (busyWith(folder) === 'blueprint update') {
    if (!(await wait(scaledMs(lookSeconds), stop)) || !wished())
      return { is: 'dropped', why: 'the wish was taken back' }
  }
  writeAttempt(folder, { ...attempt, is: 'swapping' })
  const refused = refusal()
  tell({ is: 'swap', staged, from: ownVersion, to: { version: wish, sha256 } })
  const late = wait(timeoutMs(launcherSeconds), stop).then((whole) =>
    whole ? 'the launcher did not answer' : undefined,
  )
  const why = await Promise.race([refused, late])
  return why === undefined
    ? { is: 'done', value: undefined }
    : { is: 'unable', why: `it could not be put in place: ${why}` }
}
