/** Reads the end of a declared log (3.6, D52, I28), masked. */
import type { Manifest } from '@svc/blueprint'
import { clean, endOf, limits } from '@svc/protocol'
import { readEnv } from '../files/env.ts'
import type { Folder } from '../files/folder.ts'
import { readUpTo } from '../files/read.ts'
import { placeOf } from '../state/paths.ts'
import { mask } from './mask.ts'
import { declaredLog } from './open.ts'

/** The answer for any name that is not such a log (3.6). */
export const noSuchLog = 'There is no such log.'

/** Bytes that are read before the part that is sent, so that a secret which begins there is seen whole. */
const margin = 16 * 1024

/** The end of the log, masked; undefined if there is no such log. */
export function readLog(
  folder: Folder,
  manifest: Pick<Manifest, 'logs'> & Partial<Pick<Manifest, 'state'>>,
  name: string,
  max: number = limits.logTextBytes,
): string | undefined {
  const declared = manifest.logs.find((log) => log.name === name)
  return declared && endOfLog(folder, placeOf(folder, manifest, declared.path), max)
}

/** The end of the log at this path, masked. */
export function endOfLog(folder: Folder, file: string, max: number = limits.logTextBytes): string | undefined {
  const maxBytes = max + margin
  const end = declaredLog(folder)(file, (fd, { size }) => {
    const from = Math.max(0, size - maxBytes)
    return { bytes: readUpTo(fd, maxBytes, from), whole: from === 0 }
  })
  if (!end) return undefined
  const text = mask(clean(end.bytes.toString('utf8')), readEnv(folder.env), readEnv(folder.secrets))
  return endOf(end.whole ? text : fromNextWord(text), max)
}

/** Drops the first word, which may be the rest of a secret that was cut. */
function fromNextWord(text: string): string {
  const space = text.search(/\s/)
  return text.slice(space >= 0 && space < margin ? space + 1 : margin)
}
