/**
 * Makes the folder of the host agent, and removes it again if the agent cannot be connected. A folder of another user
 * is refused, since that user could change what this user runs.
 */
import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFolder } from '../../machine/files/durable.ts'
import { createFolders, type Folder } from '../../machine/files/folder.ts'

/**
 * Makes the folders that the first report needs. The returned function removes what was new: `.svc`, the status file,
 * and the folders that are then empty. So the records of jobs stay.
 */
export function makeFolders(folder: Folder, status: string): () => void {
  const isNew = (path: string) => !existsSync(path)
  const files = [folder.svc, status].filter(isNew)
  const folders = missing(folder.state)
  createFolder(folder.root, 0o700)
  createFolder(folder.state, 0o700)
  createFolders(folder)
  return () => {
    for (const path of files) rmSync(path, { recursive: true, force: true })
    for (const path of folders) {
      try {
        rmdirSync(path)
      } catch {
        return // a job has written its first record meanwhile
      }
    }
  }
}

/** The folders on this path that do not exist, the innermost first. */
function missing(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [path, ...missing(dirname(path))]
}

interface OwnedFolder {
  /** The purpose of the folder, as the beginning of a sentence. */
  readonly what: string
  readonly path: string
  /** The user id of its owner; undefined if it is not known. */
  readonly owner: number | undefined
}

/** Says which of these folders belongs to another user than `uid`; undefined if none does. The function is pure. */
export function findForeignFolder(uid: number, places: readonly OwnedFolder[]): string | undefined {
  const found = places.find(({ owner }) => owner !== undefined && owner !== uid)
  if (found === undefined) return undefined
  const { what, path, owner } = found
  const why =
    uid === 0
      ? 'That user could change what root runs. Run this as root with the home folder of root ("sudo -i")'
      : 'Run this as that user'
  return `${what} ${path} belongs to the user ${owner}, not to you (${uid}). ${why}, or name another folder.`
}
