/**
 * The runtime updates itself (3.5): listens to the wishes in the answers, makes attempts, and asks the launcher for the swap. Nothing here
 * touches the file in place, and nothing of it waits in the way of a report.
 */

import { rmSync } from 'node:fs'
import { limits, type ReceivedAnswer, type ServedRuntime } from '@svc/protocol'
import { messageOf } from '../errors.ts'
import { makeFolder } from '../files/durable.ts'
import { readConnection } from '../files/env.ts'
import type { Folder } from '../files/folder.ts'
import type { FromWorker } from '../launcher/contract.ts'
import { sha256Of } from '../launcher/trial-files.ts'
import { duration, wait } from '../time.ts'
import { version } from '../version.ts'
import { busyWith } from '../versions/busy.ts'
import { attemptOf } from '../versions/release.ts'
import type { RuntimeNote } from '../versions/runtime-note.ts'
import { attempt, type Ended } from './attempt.ts'
import type { Step } from './fetch.ts'
import { type AttemptNote, readAttempt, writeAttempt } from './journal.ts'
import { cannotHere, releaseKeys } from './keys.ts'
import { ends } from './moves.ts'
import { readPin } from './pin.ts'
import { lifts, type Verdict, wanted } from './wanted.ts'

/** Between any two attempts, whatever the service names in between. */
const leastSeconds = 60
/** So often an attempt may end the runtime with it, until it counts as one that failed. */
const mostBegun = 3
/** How long the launcher may take to answer. */
const launcherSeconds = 60
const lookSeconds = 5

export interface Hands {
  readonly tell: (message: Extract<FromWorker, { is: 'swap' | 'attempted' | 'lifted' }>) => void
  readonly say: (line: string) => void
  /** As the launcher has it. */
  readonly note: () => RuntimeNote
  /** Why this process cannot replace its runtime; undefined when it can. */
  readonly cannot?: string | undefined
}
export interface SelfUpdate {
  /** An answer of the service came. */
  heard(answer: Pick<ReceivedAnswer, 'runtime' | 'runtime_desired'>): void
  /** The launcher did not swap. */
  unswapped(why: string): void
}

export function selfUpdate(folder: Folder, stop: AbortSignal, { tell, say, note, cannot }: Hands): SelfUpdate {
  let wish: string | undefined
  let served: ServedRuntime | undefined
  let answered = false
  /** A wish that nothing was made of yet. */
  let unjudged = false
  /** Noted already that the service ended the wish for the version on hold. */
  let closed = false
  /** A wish that came since the last attempt: it need not wait for ten minutes. */
  let fresh = false
  let busy = false
  let last = Number.NEGATIVE_INFINITY
  let refused: ((why: string) => void) | undefined
  settle()

  /** What an attempt left that was broken off: nothing has happened (docs/decisions/kills.md). */
  function settle(): void {
    try {
      rmSync(folder.runtimeNew, { recursive: true, force: true })
      const found = readAttempt(folder)
      if (found?.is === 'swapping') writeAttempt(folder, { ...found, is: 'ended', at: 0, begun: 0 })
    } catch (error) {
      say(`what an update of the runtime left could not be swept: ${messageOf(error)}`)
    }
  }

  function heard({ runtime, runtime_desired: named }: Parameters<SelfUpdate['heard']>[0]): void {
    fresh ||= answered && named !== wish
    unjudged ||= answered ? named !== wish : pressedMeanwhile(named)
    answered = true
    wish = named
    served = runtime
    if (busy || note().trial) return
    const hold = note().hold
    if (hold && hold.version !== named) close(hold.version)
    if (named === undefined) return
    const sha256 = hold && sha256Of(folder.runtime)
    if (lifts(named, { hold, sha256 })) tell({ is: 'lifted' })
    const verdict = wanted(named, { running: version, pinned: readPin(folder), hold, sha256 })
    if (unjudged) told(named, verdict)
    if (verdict === 'held' && unjudged)
      end(named, {
        event: 'unable',
        why: `it is on hold on this machine until another version is wished or its file is put in place there: ${hold?.reason}`,
      })
    unjudged = false
    if (verdict === 'wanted' && isDue(named) && busyWith(folder) === undefined) void make(named)
  }

  /** The wish for a version on hold has ended: what is heard of it from now on, also after a restart, was pressed anew (3.4). */
  function close(held: string): void {
    if (closed) return
    const ended = readAttempt(folder)
    try {
      if (ended?.is === 'ended' && ended.wish === held && !ended.closed)
        writeAttempt(folder, { ...ended, closed: true })
      closed = true
    } catch {
      // with the next answer
    }
  }

  function pressedMeanwhile(named: string | undefined): boolean {
    const ended = readAttempt(folder)
    return ended?.is === 'ended' && ended.wish === named && ended.closed === true
  }

  function told(named: string, verdict: Verdict): void {
    if (verdict === 'pinned') say(`runtime ${named} is wished, and another one is pinned on this machine`)
  }

  function isDue(named: string): boolean {
    if (performance.now() - last < duration(leastSeconds)) return false
    const before = readAttempt(folder)
    if (fresh || before?.is !== 'ended' || before.wish !== named) return true
    return Math.abs(Date.now() - before.at) >= duration(limits.fetchRetrySeconds)
  }

  async function make(named: string): Promise<void> {
    busy = true
    fresh = false
    last = performance.now()
    try {
      end(named, await tried(named))
    } catch (error) {
      end(named, { event: 'unable', why: messageOf(error) })
    } finally {
      busy = false
    }
  }

  async function tried(named: string): Promise<Ended> {
    const why = cannot ?? cannotHere()
    if (why !== undefined) return { event: 'refused', why }
    const before = readAttempt(folder)
    const begun = before?.is === 'trying' && before.wish === named ? before.begun + 1 : 1
    const now: AttemptNote = { is: 'trying', wish: named, at: Date.now(), begun }
    if (begun > mostBegun) return { event: 'unable', why: `the runtime ended ${mostBegun} times while it was tried` }
    writeAttempt(folder, now)
    say(`runtime ${version} -> ${named}: fetching`)
    const connection = readConnection(folder)
    if (!connection.ok) return { event: 'unable', why: connection.message }
    rmSync(folder.runtimeNew, { recursive: true, force: true })
    makeFolder(folder.runtimeNew, 0o700)
    return attempt({
      wish: named,
      served,
      origin: connection.value.origin,
      root: folder.root,
      folder: folder.runtimeNew,
      keys: releaseKeys,
      signal: stop,
      stands: () => wish === named && !stop.aborted && !ruledOut(named),
      swap: (staged, sha256) => swap(now, staged, sha256),
    })
  }

  const ruledOut = (named: string): boolean => (readPin(folder) ?? named) !== named

  /** D31: not while a version of the agent is neither kept nor back. The launcher ends this thread when it swaps. */
  async function swap(now: AttemptNote, staged: string, sha256: string): Promise<Step> {
    if (busyWith(folder) === 'blueprint update') {
      writeAttempt(folder, { ...now, begun: now.begun - 1 }) // what ends the runtime meanwhile is not this attempt
      say(`runtime ${now.wish} waits until the new version of the agent is kept or back`)
    }
    while (busyWith(folder) === 'blueprint update') {
      if (!(await wait(duration(lookSeconds), stop)) || wish !== now.wish)
        return { is: 'dropped', why: 'the wish was taken back' }
    }
    writeAttempt(folder, { ...now, is: 'swapping' })
    const answer = new Promise<string>((resolve) => {
      refused = resolve
    })
    tell({ is: 'swap', staged, from: version, to: { version: now.wish, sha256 } })
    const late = wait(duration(launcherSeconds), stop).then((whole) =>
      whole ? 'the launcher did not answer' : undefined,
    )
    const why = await Promise.race([answer, late])
    return why === undefined
      ? { is: 'done', value: undefined }
      : { is: 'unable', why: `it could not be put in place: ${why}` }
  }

  function end(named: string, { event, why }: Ended): void {
    if (event === 'done') return
    const ending = event in ends ? ends[event as keyof typeof ends] : undefined
    if (ending) {
      const running = sha256Of(folder.runtime) ?? ''
      const outcome = attemptOf({
        outcome: ending.outcome,
        works: { version },
        from: { version },
        to: { version: named },
        at: Date.now(),
        reason: why,
      })
      const hold = ending.holds ? { hold: { version: named, reason: why, running } } : {}
      tell({ is: 'attempted', applied: outcome, ...hold })
    }
    rmSync(folder.runtimeNew, { recursive: true, force: true })
    closed = false
    writeAttempt(folder, { is: 'ended', wish: named, at: ending ? Date.now() : 0, begun: 0 })
  }

  return { heard, unswapped: (why) => refused?.(why) }
}
