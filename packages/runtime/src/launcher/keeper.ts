/**
 * Keeps the runtime's own file (3.5, 4 and 5): says which file the next worker is started from, swaps a verified one in, and puts the
 * previous one back when the new one does not prove itself. Decides nothing (trial.ts); every step is noted before it is taken, so
 * that a start after a kill finishes it. Knows no service.
 */

import { existsSync } from 'node:fs'
import { limits } from '@svc/protocol'
import { messageOf } from '../errors.ts'
import type { Folder } from '../files/folder.ts'
import { duration } from '../time.ts'
import type { RuntimeNote } from '../versions/runtime-note.ts'
import { readRuntimeNote, writeRuntimeNote } from '../versions/runtime-note.ts'
import { type AskedBack, dropAskedBack, readAskedBack } from './back.ts'
import type { FromWorker } from './contract.ts'
import { type Event, judge } from './trial.ts'
import { keepPrevious, putBack, putInPlace, sha256Of, writeStarter } from './trial-files.ts'

/** What the disk refused is tried again after so long. */
const retrySeconds = 60

export interface Keeper {
  note(): RuntimeNote
  /** The file to start a worker from now; a start of one on trial is counted. */
  next(): string
  /** Why not; undefined when it is done. */
  swap(wish: Extract<FromWorker, { is: 'swap' }>): string | undefined
  attempted(what: Extract<FromWorker, { is: 'attempted' }>): void
  lifted(): void
  /** A report of the present worker was answered. */
  good(): void
  /** The worker ended by itself, and how. Gives the seconds until the next start, where it is on trial. */
  ended(how: string): number | undefined
  /** It hangs, or says nothing at all. */
  hung(how: string): void
  /** Looks at the clock and at a person's wish. True when another file is to be started. */
  look(): boolean
  /** Finishes what an earlier process left; `next` does it, too. */
  settle(): void
  /** A person goes back to the previous file. True when it is done. */
  back(asked: AskedBack): boolean
  /** An orderly end of this process. */
  stopped(): void
}

export function keepRuntime(
  folder: Folder,
  { program, say, changed }: { program: string; say: (line: string) => void; changed: (note: RuntimeNote) => void },
): Keeper {
  let note = readRuntimeNote(folder)
  let last = ''
  let began = true
  let due = Number.POSITIVE_INFINITY
  let retry = Number.POSITIVE_INFINITY
  let taken = 0
  /** The previous file could not be put into place: it is started where it lies. */
  let stuck = false

  function apply(event: Event): boolean {
    const next = judge(note, event, Date.now(), last)
    if (next === note) return true
    const was = note
    note = next
    const saved = save()
    tell(was, next, say)
    changed(shown())
    return saved
  }

  function save(): boolean {
    try {
      writeRuntimeNote(folder, note)
      retry = Number.POSITIVE_INFINITY
      return true
    } catch (error) {
      retry = performance.now() + duration(retrySeconds)
      say(`the note about the runtime's own file could not be written: ${messageOf(error)}`)
      return false
    }
  }

  /** What the worker reports: a way back that is not finished on the disk is finished for everybody else. */
  const shown = (): RuntimeNote => (note.trial?.is === 'undoing' ? judge(note, { is: 'restored' }, 0) : note)

  /** The previous file takes its place again. */
  function goBack(): void {
    const { trial } = note
    if (trial?.is !== 'undoing') return
    try {
      if (sha256Of(folder.runtimePrevious) === trial.from.sha256) putBack(folder)
      else if (sha256Of(folder.runtime) !== trial.from.sha256) {
        apply({ is: 'lost' })
        return
      }
      stuck = false
      apply({ is: 'restored' })
    } catch (error) {
      if (!stuck) say(`the previous runtime could not be put back, it runs from where it lies: ${messageOf(error)}`)
      stuck = true
      retry = performance.now() + duration(retrySeconds)
    }
  }

  function undo(event: Event): boolean {
    apply(event)
    if (note.trial?.is !== 'undoing') return false
    goBack()
    return true
  }

  const inPlace = () => (existsSync(folder.runtime) ? folder.runtime : program)

  function find(): void {
    if (note.trial) apply({ is: 'found', inPlace: sha256Of(folder.runtime) ?? '' })
    goBack()
  }

  /** Set once for a file that tries, by the clock that does not jump; anew for each start of one that reported. */
  function setDue(): void {
    const { trial } = note
    if (trial?.is === 'trying' && due < Number.POSITIVE_INFINITY) return
    due = trial && trial.is !== 'undoing' ? performance.now() + remaining(trial) : Number.POSITIVE_INFINITY
  }

  return {
    note: shown,
    next: () => {
      if (began) find()
      if (note.trial && note.trial.is !== 'undoing') {
        const counted = began && (globalThis as { svcStart?: { counted?: boolean } }).svcStart?.counted === true
        // a start that cannot be noted is none: after a kill nobody would know of it
        if (!apply({ is: 'start', process: began, counted }) && note.trial.is === 'trying')
          undo({ is: 'hung', reason: 'a start of it could not be noted' })
        else goBack()
      }
      began = false
      setDue()
      return stuck ? folder.runtimePrevious : inPlace()
    },
    swap: ({ staged, from, to }) => {
      if (note.trial) return 'another one is on trial'
      const before = note
      const running = inPlace()
      try {
        writeStarter(folder)
        if (sha256Of(staged) !== to.sha256) return 'the file is not the one that was verified'
        const sha256 = sha256Of(running)
        if (sha256 === undefined) return `the running file ${running} is gone`
        keepPrevious(folder, running)
        note = judge(note, { is: 'swap', from: { version: from, sha256 }, to }, Date.now())
        writeRuntimeNote(folder, note)
      } catch (error) {
        note = before
        return messageOf(error)
      }
      try {
        putInPlace(folder, staged)
      } catch (error) {
        if (sha256Of(folder.runtime) !== to.sha256) {
          note = before
          save()
          return messageOf(error)
        }
        say(`the new runtime is in place, but perhaps not after a power cut: ${messageOf(error)}`)
      }
      last = ''
      say(`runtime ${from} -> ${to.version}: on trial`)
      return undefined
    },
    attempted: ({ applied, hold }) => {
      note = { ...note, applied, ...(hold && { hold }) }
      save()
      say(`runtime ${applied.message}`)
      changed(shown())
    },
    lifted: () => {
      if (!note.hold) return
      const { hold, ...rest } = note
      note = rest
      save()
      say(`runtime ${hold.version} is on hold no more`)
      changed(shown())
    },
    good: () => {
      if (note.trial?.is !== 'trying') return
      apply({ is: 'good' })
      setDue()
    },
    ended: (how) => {
      last = how
      return note.trial && 1
    },
    hung: (how) => {
      last = how
      undo({ is: 'hung', reason: how })
    },
    look: () => {
      if (performance.now() >= retry) {
        if (stuck) goBack()
        save()
      }
      const asked = readAskedBack(folder)
      if (asked && asked.at !== taken) {
        taken = asked.at
        const went = undo({ ...asked, is: 'asked' })
        dropAskedBack(folder)
        if (went) return true
      }
      if (performance.now() < due) return false
      due = Number.POSITIVE_INFINITY
      return undo({ is: 'over' })
    },
    settle: find,
    back: (asked) => undo({ ...asked, is: 'asked' }) && !stuck,
    stopped: () => {
      if (note.trial) apply({ is: 'stopped' })
    },
  }
}

/** How long a new file has to report, and one that reported has to last (3.5, 5). Of the present five minutes; of those of a file that reported, from its last start on. */
function remaining(trial: Extract<RuntimeNote['trial'], { is: 'trying' | 'kept' }>): number {
  const whole = duration(limits.trialSeconds)
  if (trial.is === 'kept') return whole
  return Math.min(whole, Math.max(0, trial.began + whole - Date.now()))
}

function tell(was: RuntimeNote, now: RuntimeNote, say: (line: string) => void): void {
  if (now.trial?.is === 'undoing' && was.trial?.is !== 'undoing')
    say(`runtime ${now.trial.to.version} goes back to ${now.trial.from.version}: ${now.trial.reason}`)
  if (now.applied && now.applied !== was.applied) say(`runtime ${now.applied.message}`)
}
