/** Reads the end of a declared log and masks the secrets in it (3.6, D52, I28). */
import { logNamed, type Manifest } from '@svc/blueprint'
import { endOf, limits } from '@svc/protocol'
import type { Folder } from '../../machine/files/folder.ts'
import { readUpTo } from '../../machine/files/read.ts'
import { placeOf } from '../paths.ts'
import { safeLog } from './mask.ts'
import { declaredLog } from './open.ts'

/**
 * The text that is uploaded if no log of the requested name is declared, or if its file may not or cannot be read
 * (3.6).
 */
export const noSuchLog = 'There is no such log.'

/**
 * The number of bytes that are read before the part that is sent. A secret at the beginning of that part is then read
 * as a whole and can be masked.
 */
const margin = 16 * 1024

/**
 * The end of a declared log, with secrets masked; undefined if no such log is declared, or if its file may not or
 * cannot be read.
 */
export function readLog(
  folder: Folder,
  manifest: Pick<Manifest, 'logs'> & Partial<Pick<Manifest, 'state'>>,
  name: string,
  max: number = limits.logTextBytes,
): string | undefined {
  const declared = logNamed(manifest.logs, name)
  return declared && endOfLog(folder, placeOf(folder, manifest, declared.path), max)
}

/** The end of the log at this path, with secrets masked. */
export function endOfLog(folder: Folder, file: string, max: number = limits.logTextBytes): string | undefined {
  const maxBytes = max + margin
  const end = declaredLog(folder)(file, (fd, { size }) => {
    const from = Math.max(0, size - maxBytes)
    return { bytes: readUpTo(fd, maxBytes, { position: from }), whole: from === 0 }
  })
  if (!end) return undefined
  const text = safeLog(folder, end.bytes.toString('utf8'))
  return endOf(end.whole ? text : fromNextWord(text), max)
}

/** Drops the first word of a text, which may be the second part of a secret and would not be masked. */
function fromNextWord(text: string): string {
  const space = text.search(/\s/)
  return text.slice(space >= 0 && space < margin ? space + 1 : margin)
}
