/**
 * Opens files that may be read as a log (3.6, D52, I28): regular files with one hard link, inside the agent's folder
 * and outside `.svc/`. Symbolic links are followed. The open descriptor is checked, so nothing can be replaced between
 * the check and the read.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { createFolder } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'

/** Calls `work` with the open file if the file may be read as a log, and returns its result; otherwise undefined. */
export type OpenLog = <T>(file: string, work: (fd: number, stat: Stats) => T) => T | undefined

/** Returns a function that opens only files with one hard link inside the agent's folder and outside `.svc/`. */
export const declaredLog =
  (folder: Pick<Folder, 'root'>): OpenLog =>
  (file, work) =>
    withOpenFile(
      () => realpathSync(file),
      (fd, stat, path) => stat.nlink === 1 && isInside(folder, realPathOf(fd, path)),
      work,
    )

/** Opens the runtime's own files below `.svc/`, which never leave the machine. */
export const ownLog: OpenLog = (file, work) =>
  withOpenFile(
    () => file,
    () => true,
    work,
  )

/**
 * Opens a file for appending if it may be read as a log, and creates it if it is missing. Undefined for any other file,
 * and for a symbolic link.
 */
export function openForOutput(folder: Pick<Folder, 'root'>, file: string): number | undefined {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  return attempt(() => {
    let above = dirname(file)
    while (!existsSync(above)) above = dirname(above)
    if (!isInside(folder, join(realpathSync(above), basename(file)))) return undefined
    createFolder(dirname(file))
    const fd = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
    const fits = attempt(() => {
      const stat = fstatSync(fd)
      return stat.isFile() && stat.nlink === 1 && isInside(folder, realPathOf(fd, file))
    })
    if (fits) return fd
    closeSync(fd)
    return undefined
  })
}

/** True if a file exists and, after all links are followed, is inside the agent's folder and outside `.svc/`. */
export const leadsInside = (folder: Pick<Folder, 'root'>, file: string): boolean =>
  attempt(() => isInside(folder, realpathSync(file))) ?? false

function withOpenFile<T>(
  resolve: () => string,
  allowed: (fd: number, stat: Stats, path: string) => boolean,
  work: (fd: number, stat: Stats) => T,
): T | undefined {
  let fd: number | undefined
  try {
    const stat = attempt(() => {
      const path = resolve()
      fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      const found = fstatSync(fd)
      return found.isFile() && allowed(fd, found, path) ? found : undefined
    })
    return fd !== undefined && stat ? work(fd, stat) : undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Calls `work`, and returns undefined if it throws: a file that cannot be opened counts as missing. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** True if a resolved path is inside the agent's folder and outside `.svc/`. */
export function isInside(folder: Pick<Folder, 'root'>, path: string): boolean {
  const root = realpathSync(folder.root)
  const [first] = path.slice(root.length + 1).split(sep)
  return path.startsWith(root + sep) && first?.toLowerCase() !== '.svc'
}

/** The path of the open file with all links resolved. */
function realPathOf(fd: number, file: string): string {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`)
  const path = realpathSync(file)
  const named = statSync(path)
  const open = fstatSync(fd)
  if (named.dev !== open.dev || named.ino !== open.ino) throw new Error(`${file} was replaced while it was read.`)
  return path
}
