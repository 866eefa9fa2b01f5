/**
 * Opens files in folders that other users may have prepared. A link would lead to a file of somebody else, and opening
 * a pipe or a device may wait or do something. So the folder and the file must belong to this user, and the file must
 * be a regular file and not a link. guard.ts follows the same rule in code of its own.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../base/errors.ts'

/** Opens a file without waiting. `flags` are those of open(2). Throws unless this user owns the file and its folder. */
export function openOwnFile(file: string, flags: number, mode?: number): number {
  const folder = dirname(file)
  if (!isOwner(statSync(folder).uid)) throw new Error(`${folder} belongs to another user`)
  const before = lstatSync(file, { throwIfNoEntry: false })
  if (before) mustBeOwn(file, before)
  const fd = openSync(file, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode)
  try {
    mustBeOwn(file, fstatSync(fd))
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function mustBeOwn(file: string, stat: Stats): void {
  if (!stat.isFile()) throw new Error(`${file} is not a regular file`)
  if (!isOwner(stat.uid)) throw new Error(`${file} belongs to another user (${stat.uid})`)
}

/** True if a file with this owner belongs to the user of this process, or if the system knows no users. */
export const isOwner = (uid: number | undefined): boolean => [uid, undefined].includes(process.geteuid?.())

/** The owner of a folder or, if it does not exist, of the nearest folder above it; undefined if it cannot be read. */
export function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) return undefined
    return ownerOf(dirname(path))
  }
}
