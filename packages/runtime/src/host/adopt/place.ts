/** Makes the folder of the host agent, and removes what it has made if the agent cannot be connected. */
import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFolder } from '../../machine/files/durable.ts'
import { type Folder, prepare } from '../../machine/files/folder.ts'

/**
 * Makes the folders that the first report needs. The returned function removes all of them that were not there before,
 * with the files in them that svc writes; the records of jobs stay.
 */
export function makeFolders(folder: Folder, status: string): () => void {
  const isNew = (path: string) => !existsSync(path)
  const files = [folder.svc, status].filter(isNew)
  const folders = missing(folder.state)
  createFolder(folder.root, 0o700)
  createFolder(folder.state, 0o700)
  prepare(folder)
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
