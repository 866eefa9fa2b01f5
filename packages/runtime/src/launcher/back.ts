/**
 * The file `.svc/runtime/back`, with which `svc rollback-runtime` asks a running launcher for the previous runtime. The
 * request names the current and the previous runtime file by their checksums.
 */
import { number, object } from '@svc/protocol/fields'
import { codeOf } from '../machine/base/errors.ts'
import { removeDurably } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue } from '../machine/files/note.ts'
import { versionRef } from '../state/versions/version-ref.ts'

/** A request of `svc rollback-runtime` for the previous runtime. `at` is when it was made, in Unix milliseconds. */
const askedBack = object({ from: versionRef, to: versionRef, by: anyText, at: number() }, 'from', 'to', 'by', 'at')
export type BackRequest = NoteValue<typeof askedBack>
type BackPath = Pick<Folder, 'runtimeBack'>

/** The number of milliseconds for which a request is valid. */
const validMs = 60_000

const file = describeNote('runtimeBack', askedBack, 65_536)

export const askForPrevious: (paths: BackPath, asked: BackRequest) => void = file.write

/** Reads the request; undefined if there is none, or if it is no longer valid. */
export function readAskedBack(paths: BackPath): BackRequest | undefined {
  const asked = file.read(paths)
  return asked && Math.abs(Date.now() - asked.at) < validMs ? asked : undefined
}

export function dropAskedBack(paths: BackPath): void {
  try {
    removeDurably(paths.runtimeBack)
  } catch (error) {
    // the disk refused; the keeper still acts on the request only once, because it remembers its time
    if (codeOf(error) === undefined) throw error
  }
}
