/**
 * `failed.log` of a job: the end of what its last failed run printed, which stays until the next failure. It is kept
 * only with `--log`. Secrets are masked before the text is cut, so no secret is cut in two.
 */
import { join } from 'node:path'
import type { Folder } from '../../machine/files/folder.ts'
import { type LogEnd, marginBytes, safeEnd } from '../../state/logs/mask.ts'
import { replaceFile } from './files.ts'

/** The number of lines that are kept. */
const maxLines = 20
/** The size of the file, in bytes. */
const maxBytes = 4096

/**
 * Keeps the end of the output of a run that failed; false if there is nothing to keep. `host` is the folder of the host
 * agent, which has the secrets. Throws if the file cannot be written.
 */
export function keepFailedOutput(folder: string, output: LogEnd, host: Pick<Folder, 'env' | 'secrets'>): boolean {
  const text = failedOutputText(output, host)
  if (text !== '') replaceFile(join(folder, 'failed.log'), text)
  return text !== ''
}

/** The last lines of an output; empty if it has no text. */
export function failedOutputText({ bytes, isWhole }: LogEnd, host: Pick<Folder, 'env' | 'secrets'>): string {
  const max = maxBytes + marginBytes
  const end = { bytes: bytes.subarray(-max), isWhole: isWhole && bytes.length <= max }
  const lines = safeEnd(host, end, maxBytes - 1)
    .replace(/\s+$/, '')
    .split('\n')
    .slice(-maxLines)
  const text = lines.join('\n')
  return text.trim() === '' ? '' : `${text}\n`
}
