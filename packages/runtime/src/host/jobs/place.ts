/** The folder of a job, made ready for a run. */
import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFolders } from './files.ts'

/**
 * Makes the folder of a job and returns it. Throws if records cannot be written there, or if the folder belongs to
 * another user, who could have placed links in it.
 */
export function readyFolder(jobs: string, name: string): string {
  const folder = join(jobs, name)
  const above = nearest(folder)
  const uid = process.geteuid?.() ?? 0
  // root would else make folders in the home of another user, who could then not write into them
  if (above !== undefined && above.path !== folder && (uid === 0 || above.path === jobs)) mustBelong(above, uid)
  createFolders(folder)
  mustBelong({ path: folder, stat: statSync(folder) }, uid)
  accessSync(folder, constants.W_OK | constants.X_OK)
  return folder
}

interface Existing {
  readonly path: string
  readonly stat: Stats
}

/** The folder itself if it exists, else the nearest one above it that does. */
function nearest(path: string): Existing | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat) return { path, stat }
  return dirname(path) === path ? undefined : nearest(dirname(path))
}

function mustBelong({ path, stat }: Existing, uid: number): void {
  if (!stat.isDirectory()) throw new Error(`${path} is not a folder`)
  if (stat.uid !== uid) throw new Error(`${path} belongs to another user (${stat.uid})`)
}
