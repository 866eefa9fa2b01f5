/**
 * Locks of a folder that end with their process (D58); Node has no flock. The file `lock/<name>.<n>` with the highest
 * number is the state of a lock: the lock is free if the file contains `releasedLockText` or its process is dead. To
 * take the lock, a process creates the next number by an exclusive link, so that only one of two succeeds. `runtime` is
 * held as long as a runtime or reporter runs, `turn` while a process changes files in `.svc`, such as the settings.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, linkSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { codeOf } from '../base/errors.ts'
import { wholeSeconds } from '../base/time.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from '../process/identity.ts'
import { fileNamesIn } from './durable.ts'
import { createFolders, type Folder } from './folder.ts'
import { readJsonObject } from './read.ts'
import { fillReserve, removeOrSpare, takeSpare, withSpares } from './reserve.ts'
import { explainErrors, isDiskFault, isNoRoom } from './space.ts'

type LockName = 'runtime' | 'turn'
/** The process that holds a lock. */
export interface Holder extends ProcessIdentity {
  /** The command that holds the lock, such as `svc report`. Messages name it. */
  readonly what: string
  readonly since: number
  /**
   * The thread that holds the lock. If a worker thread ends while it holds the lock `turn`, its process continues; the
   * next worker in that process sees by the thread's id that the lock is free.
   */
  readonly thread?: number
}
interface HeldLock {
  release(): void
}
type LockTry = { readonly ok: true; readonly held: HeldLock } | { readonly ok: false; readonly holder: Holder }

/** Takes a lock. If somebody else holds it, the result names the holder. */
export function tryLock(folder: Folder, name: LockName, what: string): LockTry {
  createFolders(folder)
  for (;;) {
    const top = highestNumber(folder, name)
    const holder = top === 0 ? undefined : holderOf(folder, name, top)
    if (holder && isAlive(holder) && !(name === 'turn' && endedHere(holder))) return { ok: false, holder }
    const ownNumber = top + 1
    if (!make(folder, name, ownNumber, what)) continue
    if (highestNumber(folder, name) !== ownNumber) {
      // another process has created a higher number meanwhile, so this file is removed and the attempt starts again
      rmSync(fileOf(folder, name, ownNumber), { force: true })
      continue
    }
    for (const n of lockNumbers(folder, name)) if (n < ownNumber) removeOrSpare(fileOf(folder, name, n))
    fillReserve(folder.svc)
    return { ok: true, held: { release: () => release(folder, name, ownNumber) } }
  }
}

/**
 * True if the lock `turn` is held by a thread of this process that has ended. In a process, only the current worker
 * takes `turn`, so another thread id belongs to an earlier worker.
 */
const endedHere = ({ pid, thread = threadId }: Holder): boolean => pid === process.pid && thread !== threadId

/** The holder of a lock; undefined if it is free. */
export function whoHolds(folder: Folder, name: LockName): Holder | undefined {
  const top = highestNumber(folder, name)
  const holder = top === 0 ? undefined : holderOf(folder, name, top)
  return holder && isAlive(holder) ? holder : undefined
}

/**
 * Takes a lock for something that must work even on a full disk. If the disk takes no file for the lock, nobody else
 * can take the lock either, and the work goes on without it.
 */
export function tryLockOnFullDisk(folder: Folder, name: LockName, what: string): LockTry {
  try {
    return tryLock(folder, name, what)
  } catch (error) {
    if (!isDiskFault(error)) throw error
    const holder = whoHolds(folder, name)
    return holder ? { ok: false, holder } : { ok: true, held: { release: () => {} } }
  }
}

/** Calls `work` while holding the lock `turn`. Waits up to five seconds for the lock. */
export const withTurn = <T>(folder: Folder, what: string, work: () => T): T => workWithTurn(folder, what, tryLock, work)

/** Like `withTurn`, for work that must be possible on a full disk: it needs no room for the lock. */
export const withTurnOnFullDisk = <T>(folder: Folder, what: string, work: () => T): T =>
  workWithTurn(folder, what, tryLockOnFullDisk, work)

function workWithTurn<T>(folder: Folder, what: string, take: typeof tryLock, work: () => T): T {
  const until = performance.now() + 5000
  for (;;) {
    const taken = take(folder, 'turn', what)
    if (!taken.ok) {
      if (performance.now() > until)
        throw new Error(`${holderName(taken.holder)} is working in ${folder.svc}; try again later.`)
      Atomics.wait(pause, 0, 0, 10)
      continue
    }
    try {
      return work()
    } finally {
      taken.held.release()
    }
  }
}
const pause = new Int32Array(new SharedArrayBuffer(4))

export const holderName = (holder: Holder): string => `${holder.what} (process ${holder.pid})`

const fileOf = (folder: Folder, name: LockName, n: number) => join(folder.lock, `${name}.${n}`)

function lockNumbers(folder: Folder, name: LockName): number[] {
  return fileNamesIn(folder.lock).flatMap((file) => {
    const match = /^(\w+)\.(\d+)$/.exec(file)
    return match?.[1] === name ? [Number(match[2])] : []
  })
}
const highestNumber = (folder: Folder, name: LockName): number => Math.max(0, ...lockNumbers(folder, name))

function holderOf(folder: Folder, name: LockName, n: number): Holder | undefined {
  const { pid, start, what, since, thread } = readJsonObject(fileOf(folder, name, n), 4096) ?? {}
  if (typeof pid !== 'number' || typeof start !== 'string') return undefined
  return {
    pid,
    start,
    what: typeof what === 'string' ? what : 'svc',
    since: typeof since === 'number' ? since : 0,
    ...(typeof thread === 'number' && { thread }),
  }
}

/** Creates file number `n` of a lock with its content in one step; false if another process created it first. */
function make(folder: Folder, name: LockName, n: number, what: string): boolean {
  const file = fileOf(folder, name, n)
  return explainErrors(file, () => {
    const temporary = write(
      folder,
      JSON.stringify({ ...ownIdentity(), what, since: wholeSeconds(Date.now()), thread: threadId }),
    )
    try {
      // even a link may need room, since some file systems count each link as an inode
      withSpares(file, 'stop', () => linkSync(temporary, file))
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  })
}

const releasedLockText = '{"released":true}'

/**
 * Releases a lock. If no new file can replace the lock's file, the file is overwritten in place. Never throws: a lock
 * that cannot be released ends with its process.
 */
function release(folder: Folder, name: LockName, n: number): void {
  const file = fileOf(folder, name, n)
  try {
    const temporary = write(folder, releasedLockText, false)
    try {
      renameSync(temporary, file)
    } finally {
      rmSync(temporary, { force: true })
    }
  } catch {
    overwrite(file, releasedLockText)
  }
}

/**
 * Overwrites a lock's file in place, padded with spaces to its size. A reader that sees only a part of the text treats
 * the lock as free, which is correct.
 */
function overwrite(file: string, text: string): void {
  try {
    const fd = openSync(file, 'r+')
    try {
      writeFileSync(fd, text.padEnd(statSync(file).size))
    } finally {
      closeSync(fd)
    }
  } catch {
    // the folder may have been removed, or the disk refuses everything
  }
}

function write(folder: Folder, text: string, spare = true): string {
  const temporary = join(folder.lock, `.lock.${randomBytes(6).toString('hex')}.tmp`)
  try {
    writeFileSync(temporary, text)
  } catch (error) {
    rmSync(temporary, { force: true })
    const fd = spare && isNoRoom(error) ? takeSpare(temporary, 'stop') : undefined
    if (fd === undefined) throw error
    try {
      writeFileSync(fd, text)
      ftruncateSync(fd, Buffer.byteLength(text))
    } finally {
      closeSync(fd)
    }
  }
  return temporary
}
