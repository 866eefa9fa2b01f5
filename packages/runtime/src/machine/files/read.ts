/** Reads small files that may be missing, damaged or not regular files. It never blocks, not even on a named pipe. */
import { type FileRead, readFile, readUpTo } from '@svc/blueprint/read-file'
import { isObject } from '@svc/protocol'

export { type FileRead, readFile, readUpTo }

/** The object in a JSON file; undefined if the file is missing or holds no object. */
export function readJsonObject(file: string, max = 16 * 1024 * 1024): Record<string, unknown> | undefined {
  const read = readFile(file, max)
  if (read.is !== 'bytes') return undefined
  try {
    const parsed: unknown = JSON.parse(read.bytes.toString('utf8'))
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
