/**
 * Reads small files that may be missing, damaged or not regular files. Reading never blocks, not even on a named pipe.
 */
import { type FileRead, readFile, readUpTo } from '@svc/blueprint/read-file'
import { isObject } from '@svc/protocol'
import type { Folder } from './folder.ts'

export { type FileRead, readFile, readUpTo }

/** Reads the manifest in a folder. A file that is too large to be one is unreadable. */
export const readManifestFile = ({ manifest }: Pick<Folder, 'manifest'>): FileRead => readFile(manifest, 1024 * 1024)

type JsonRead<T> =
  | { readonly is: 'read'; readonly value: T }
  | { readonly is: 'missing' | 'damaged' }
  /** `why` is the end of a sentence that begins with the name of the file. */
  | { readonly is: 'unreadable'; readonly why: string }

/**
 * Reads a file of JSON that svc itself has written. `keep` returns the part of the value to keep, or undefined if the
 * file is damaged. `open` opens the file, as for `readFile`.
 */
export function inspectJson<T>(
  file: string,
  max: number,
  keep: (value: unknown) => T | undefined,
  open?: Parameters<typeof readFile>[2],
): JsonRead<T> {
  const read = readFile(file, max, open)
  if (read.is !== 'bytes') return read
  try {
    const value = keep(JSON.parse(read.bytes.toString('utf8')))
    return value === undefined ? { is: 'damaged' } : { is: 'read', value }
  } catch {
    return { is: 'damaged' }
  }
}

/** Reads a file like `inspectJson`. Undefined if it is missing, unreadable or damaged. */
export function readJsonFile<T>(...how: Parameters<typeof inspectJson<T>>): T | undefined {
  const read = inspectJson(...how)
  return read.is === 'read' ? read.value : undefined
}

/** The object in a JSON file; undefined if the file is missing or holds no object. */
export const readJsonObject = (file: string, max = 16 * 1024 * 1024): Record<string, unknown> | undefined =>
  readJsonFile(file, max, (value) => (isObject(value) ? value : undefined))
