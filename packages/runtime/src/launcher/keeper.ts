/**
 * Keeps the runtime's own file (3.5, 4 and 5): names the file from which the next worker is started, puts a verified
 * new file in place, and puts the previous file back if the new one does not prove itself. keeping.ts and trial.ts make
 * the decisions. The note is written before the file is exchanged, so that a start after a kill can finish the step.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { limits } from '@svc/protocol'
import { messageOf } from '../machine/base/errors.ts'
import { scaledMs } from '../machine/base/time.ts'
import { createFolder, syncFolder } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'
import { sha256OfFile } from '../machine/files/sha256.ts'
import { type RuntimeNote, readRuntimeNote, writeRuntimeNote } from '../state/versions/runtime-note.ts'
import { type BackRequest, dropAskedBack, readAskedBack } from './back.ts'
import type { FromWorker } from './contract.ts'
import { initialKeeping, type Keeping, type KeepingAct, type KeepingEvent, shownNote, step } from './keeping.ts'
import { writeStarter } from './starter.ts'

/** The part of the launcher that keeps the runtime's own file. */
export interface Keeper {
  note(): RuntimeNote
  /** The file from which a worker must be started now. If that file is on trial, the start is counted. */
  next(): string
  /** Puts a new file in place. Returns why that was not possible, or undefined if it was done. */
  swap(wish: Extract<FromWorker, { is: 'swap' }>): string | undefined
  attempted(what: Extract<FromWorker, { is: 'attempted' }>): void
  lifted(): void
  /** Called when the service answered a report of the current worker. */
  good(): void
  /** Called when a worker ended unexpectedly. Returns the seconds until the next start if the file is on trial. */
  ended(how: string): number | undefined
  /** Called when a worker is ended because it hung or never sent a message. */
  hung(how: string): void
  /**
   * Checks the time limit of a trial and whether a person asked for the previous file, and repeats changes that the
   * disk refused. Returns true if another file must be started.
   */
  check(): boolean
  /**
   * Finishes an exchange of the runtime's file that an earlier process began and did not finish. `next` does this, too;
   * `settle` is for callers that start no worker.
   */
  settle(): void
  /** Puts the previous runtime file back because a person asked for it. Returns false if the disk refused. */
  back(asked: BackRequest): boolean
  /** Called when the process of the launcher ends cleanly. */
  stopped(): void
}

export function keepRuntime(
  folder: Folder,
  { program, say, changed }: { program: string; say: (line: string) => void; changed: (note: RuntimeNote) => void },
): Keeper {
  let now = initialKeeping(readRuntimeNote(folder))
  /** Handles an event. Returns true if another file must be started now. */
  function on(event: KeepingEvent): boolean {
    const moment = { wall: Date.now(), mono: performance.now() }
    const { state, acts } = step(now, event, { trial: scaledMs(limits.trialSeconds), retry: scaledMs(60) }, moment)
    now = state
    return acts.map((act) => perform(act)).some(Boolean)
  }
  function perform(act: KeepingAct): boolean {
    if (act.do === 'save') return on(saveNote(folder, now.note, act.starting === true))
    if (act.do === 'go back') return on(wentBack(folder, act.from.sha256))
    if (act.do === 'say') say(act.line)
    if (act.do === 'tell') changed(shownNote(now))
    return act.do === 'replace'
  }
  const inPlace = () => (existsSync(folder.runtime) ? folder.runtime : program)
  const ask = (asked: BackRequest) => on({ ...asked, is: 'asked', inPlace: sha256OfFile(folder.runtime) ?? '' })
  const find = () => void on({ is: 'found', inPlace: (now.note.trial && sha256OfFile(folder.runtime)) ?? '' })

  return {
    note: () => shownNote(now),
    next: () => {
      if (now.fresh) find()
      on({ is: 'start', counted: (globalThis as { svcStart?: { counted?: boolean } }).svcStart?.counted === true })
      on({ is: 'started' })
      return now.stuck ? folder.runtimePrevious : inPlace()
    },
    swap: (wish) =>
      now.note.trial ? 'another one is on trial' : swap(folder, inPlace(), wish, { now: () => now, on, say }),
    attempted: (what) => void on(what),
    lifted: () => void on({ is: 'lifted' }),
    good: () => void on({ is: 'good' }),
    ended: (how) => {
      on({ is: 'ended', how })
      return now.note.trial && 1
    },
    hung: (how) => void on({ is: 'hung', how }),
    check: () => {
      on({ is: 'check' })
      const asked = readAskedBack(folder)
      if (asked && asked.at !== now.taken) {
        const went = ask(asked)
        dropAskedBack(folder)
        if (went) return true
      }
      return on({ is: 'time' })
    },
    settle: find,
    back: (asked) => ask(asked) && !now.stuck,
    stopped: () => void on({ is: 'stopped' }),
  }
}

function saveNote(folder: Folder, note: RuntimeNote, starting: boolean): KeepingEvent {
  try {
    writeRuntimeNote(folder, note)
    return { is: 'saved' }
  } catch (error) {
    return { is: 'unsaved', why: messageOf(error), starting }
  }
}

/**
 * Puts the previous runtime file back in place, if it has this `sha256`. If an earlier process was killed right after
 * the rename, that file is in place already.
 */
function wentBack(folder: Folder, sha256: string): KeepingEvent {
  try {
    if (sha256OfFile(folder.runtimePrevious) === sha256) putInPlace(folder, folder.runtimePrevious)
    else if (sha256OfFile(folder.runtime) !== sha256) return { is: 'lost' }
    return { is: 'restored' }
  } catch (error) {
    return { is: 'refused', why: messageOf(error) }
  }
}

/**
 * Puts a new file in place, after the note about the trial was written to the disk. Returns why that was not possible,
 * or undefined if it was done.
 */
function swap(
  folder: Folder,
  running: string,
  { staged, from, to }: Extract<FromWorker, { is: 'swap' }>,
  { now, on, say }: { now: () => Keeping; on: (event: KeepingEvent) => void; say: (line: string) => void },
): string | undefined {
  const { note } = now()
  let noted = false
  try {
    writeStarter(folder)
    if (sha256OfFile(staged) !== to.sha256) return 'the file is not the one that was verified'
    const sha256 = sha256OfFile(running)
    if (sha256 === undefined) return `the running file ${running} is gone`
    keepPrevious(folder, running)
    on({ is: 'swap', from: { version: from, sha256 }, to })
    writeRuntimeNote(folder, now().note)
    noted = true
    putInPlace(folder, staged)
  } catch (error) {
    const why = messageOf(error)
    if (!noted || sha256OfFile(folder.runtime) !== to.sha256) {
      on({ is: 'unswapped', note, noted })
      return why
    }
    say(`the new runtime is in place, but perhaps not after a power cut: ${why}`)
  }
  on({ is: 'swapped', from, to: to.version })
  return undefined
}

type RuntimePaths = Pick<Folder, 'runtime' | 'runtimeFolder' | 'runtimePrevious'>

/**
 * Keeps a runtime file as the previous one. The file in place is only linked, so it also stays in place; any other file
 * is copied.
 */
export function keepPrevious(folder: RuntimePaths, file: string): void {
  createFolder(folder.runtimeFolder)
  const temporary = `${folder.runtimePrevious}.new`
  rmSync(temporary, { force: true })
  try {
    if (file === folder.runtime) linkSync(file, temporary)
    else copySynced(file, temporary)
    renameSync(temporary, folder.runtimePrevious)
  } catch (error) {
    rmSync(temporary, { force: true }) // a partial copy would take space that is already scarce
    throw error
  }
  syncFolder(folder.runtimeFolder)
}

/** Puts a runtime file in place of the running one. */
export function putInPlace(folder: RuntimePaths, file: string): void {
  renameSync(file, folder.runtime)
  syncFolder(folder.runtimeFolder)
}

function copySynced(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  const fd = openSync(to, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
