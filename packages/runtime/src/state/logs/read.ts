/** Reads the end of a declared log and masks the secrets in it (3.6, D52, I28). */
import { logNamed, type Manifest } from '@svc/blueprint'
import { limits } from '@svc/protocol'
import type { Folder } from '../../machine/files/folder.ts'
import { readUpTo } from '../../machine/files/read.ts'
import { machinePathOf } from '../paths.ts'
import { marginBytes, safeEnd } from './mask.ts'
import { declaredLog } from './open.ts'

/**
 * The text that is uploaded if no log of the requested name is declared, or if its file may not or cannot be read
 * (3.6).
 */
export const noSuchLog = 'There is no such log.'

/**
 * The end of a declared log, with secrets masked; undefined if no such log is declared, or if its file may not or
 * cannot be read.
 */
export function readLogFile(
  folder: Folder,
  manifest: Pick<Manifest, 'logs'> & Partial<Pick<Manifest, 'state'>>,
  name: string,
  max: number = limits.logTextBytes,
): string | undefined {
  const declared = logNamed(manifest.logs, name)
  return declared && endOfLog(folder, machinePathOf(folder, manifest, declared.path), max)
}

/** The end of the log at this path, with secrets masked. */
export function endOfLog(folder: Folder, file: string, max: number = limits.logTextBytes): string | undefined {
  const maxBytes = max + marginBytes
  const end = declaredLog(folder)(file, (fd, { size }) => {
    const from = Math.max(0, size - maxBytes)
    return { bytes: readUpTo(fd, maxBytes, { position: from }), isWhole: from === 0 }
  })
  return end && safeEnd(folder, end, max)
}
