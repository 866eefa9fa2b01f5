/**
 * Reads the agent's status file with the same rule as for logs (3.6, D52): a symbolic link is followed only to a place
 * inside the folder and outside `.svc/`.
 */
import { realpathSync } from 'node:fs'
import { limits } from '@svc/protocol'
import type { Folder } from '../../machine/files/folder.ts'
import { type FileRead, readFile } from '../../machine/files/read.ts'
import { isInside } from '../../state/logs/open.ts'

export function readStatus(folder: Pick<Folder, 'root'>, file: string): FileRead {
  const real = realPathOf(file)
  if (real !== undefined && !isInside(folder, real))
    return { is: 'unreadable', why: "leads out of the agent's folder or into .svc/" }
  const read = readFile(real ?? file, limits.reportBytes)
  // The status file may be a link into the state folder, which leads nowhere until the agent first writes the file.
  return read.is === 'unreadable' && read.leadsNowhere ? { is: 'missing', why: read.why } : read
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
