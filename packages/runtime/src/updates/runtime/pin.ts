/**
 * The version to which a person pinned the runtime on this machine (2.6, `svc pin-runtime`): a file with one line,
 * which may change at any time.
 */
import { runtimeVersion } from '@svc/protocol'
import { createFolder, removeDurably, writeDurably } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { readFile } from '../../machine/files/read.ts'

type PinPaths = Pick<Folder, 'runtimePin' | 'runtimeFolder'>

/** The version that `readPin` returns if the file names none. No release has this name, so nothing is updated. */
export const unreadablePin = 'unreadable'

/** The version to which the runtime is pinned; undefined if it is not pinned. */
export function readPin({ runtimePin }: Pick<PinPaths, 'runtimePin'>): string | undefined {
  const read = readFile(runtimePin, 1024)
  if (read.is === 'missing') return undefined
  const text = read.is === 'bytes' ? read.bytes.toString('utf8').trim() : ''
  return runtimeVersion.test(text) ? text : unreadablePin
}

export function writePin(paths: PinPaths, version: string): void {
  createFolder(paths.runtimeFolder)
  writeDurably(paths.runtimePin, `${version}\n`)
}

export const removePin = ({ runtimePin }: PinPaths): boolean => removeDurably(runtimePin)
