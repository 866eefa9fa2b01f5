/**
 * The reserve: spare files in `.svc/reserve`, whose space and inodes the runtime uses when the file system has none
 * left. So an agent can be paused or stopped on a full disk, and locks and notes can be written. A spare file becomes
 * the new file by a rename and is overwritten in place, so nobody else can take its space in between.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { explainErrors, isNoRoom } from './space.ts'

const spareCount = 16
/**
 * The bytes of a spare file: one block of most file systems, and larger than most notes. When a note made from a spare
 * file replaces another note, a block and an inode become free, from which the reserve can be refilled.
 */
const spareBytes = 4096

/**
 * The number of spares that a write with each purpose must leave. `stop` is for everything that stops the agent (locks,
 * the pause, the note of a stop), `process` for the note about the agent's process, and `state` for the rest.
 */
const sparesLeft = { stop: 0, process: 4, state: 8 } as const
export type WritePurpose = keyof typeof sparesLeft
/**
 * Files that the runtime can do without. If no spare is left, as in a folder of an earlier version, the writes that
 * stop the agent use the space of these files.
 */
const expendableFiles = ['journal/manifest.json', 'journal/outbox.json', 'log/svc.log.1']

/** The reserve for a file; undefined for a file that is in no `.svc`. */
function reserveOf(file: string): string | undefined {
  const at = file.lastIndexOf(`${sep}.svc${sep}`)
  return at < 0 ? undefined : join(file.slice(0, at), '.svc', 'reserve')
}

/**
 * Moves a spare file to this path and opens it for writing; undefined if none is left for this purpose. The caller
 * must overwrite and shorten the file.
 */
export function takeSpare(path: string, purpose: WritePurpose): number | undefined {
  const reserve = reserveOf(path)
  if (reserve === undefined) return undefined
  for (const spare of usableFiles(reserve, purpose)) {
    try {
      renameSync(spare, path)
    } catch {
      continue // another process has taken this one
    }
    return openSync(path, 'r+')
  }
  return undefined
}

/** Removes one spare file, so that its room is free for something else. False if none is left for the purpose. */
export function spendSpare(path: string, purpose: WritePurpose): boolean {
  const reserve = reserveOf(path)
  const [spare] = reserve === undefined ? [] : usableFiles(reserve, purpose)
  if (spare === undefined) return false
  rmSync(spare, { force: true })
  return true
}

/** Calls `work`, and again after the removal of a spare file, for as long as `work` fails for lack of room. */
export function withSpares<T>(path: string, purpose: WritePurpose, work: () => T): T {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isNoRoom(error) || !spendSpare(path, purpose)) throw error
    }
  }
}

/** Removes a file of the runtime, or keeps its inode and its block as a spare if spares are missing. */
export function removeOrSpare(path: string): void {
  const reserve = reserveOf(path)
  if (reserve === undefined || namesOf(reserve).length >= spareCount || !keepAs(path, reserve))
    rmSync(path, { force: true })
}

/** Makes the missing files of the reserve to which a file belongs. */
export function refillReserve(file: string): void {
  const reserve = reserveOf(file)
  if (reserve !== undefined) fillReserve(dirname(reserve))
}

/** Makes the missing files of the reserve, as far as there is room. It never throws. */
export function fillReserve(svc: string): void {
  const reserve = join(svc, 'reserve')
  try {
    // spare files are not synced, so a power failure may leave empty ones, which are made again
    const names = namesOf(reserve).filter((name) => statSync(join(reserve, name)).size > 0)
    if (names.length >= spareCount) return
    mkdirSync(reserve, { recursive: true, mode: 0o700 })
    for (const name of missingNames(names)) make(join(reserve, name))
  } catch {
    // there is no room now; the next call tries again
  }
}

/**
 * Throws if neither the reserve nor the file system has room for the files that a start of the runtime must write: a
 * lock and notes.
 */
export function refuseWithoutRoom(svc: string): void {
  fillReserve(svc)
  if (namesOf(join(svc, 'reserve')).length > sparesLeft.state) return
  const probe = join(svc, '.room')
  explainErrors(svc, () => make(probe))
  rmSync(probe, { force: true })
}

function make(file: string): void {
  const temporary = `${file}.new`
  try {
    // random bytes, since a file system may store zeros without using space for them
    writeFileSync(temporary, randomBytes(spareBytes), { mode: 0o600 })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function keepAs(path: string, reserve: string): boolean {
  const [name] = missingNames(namesOf(reserve))
  if (name === undefined) return false
  try {
    renameSync(path, join(reserve, name))
    return true
  } catch {
    return false
  }
}

function usableFiles(reserve: string, purpose: WritePurpose): string[] {
  const own = namesOf(reserve).map((name) => join(reserve, name))
  if (purpose !== 'stop') return own.slice(sparesLeft[purpose])
  return [...own, ...expendableFiles.map((file) => join(dirname(reserve), file)).filter((file) => existsSync(file))]
}

const missingNames = (names: readonly string[]): string[] =>
  Array.from({ length: spareCount }, (_, i) => String(i)).filter((name) => !names.includes(name))

function namesOf(reserve: string): string[] {
  try {
    return readdirSync(reserve).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}
