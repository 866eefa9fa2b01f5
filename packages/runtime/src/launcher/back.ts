/**
 * A person's request to return to the previous runtime, `.svc/runtime/back`, with which `svc rollback-runtime` asks a
 * running launcher. It names both files by their content, so that a late request cannot affect other files.
 */
import { number, object } from '@svc/protocol/fields'
import { codeOf } from '../errors.ts'
import { removeDurably } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { type Noted, note, words } from '../files/note.ts'
import { release } from '../versions/release.ts'

/** `at` is in Unix milliseconds. */
const askedBack = object({ from: release, to: release, by: words, at: number() }, 'from', 'to', 'by', 'at')
export type AskedBack = Noted<typeof askedBack>
type BackPath = Pick<Folder, 'runtimeBack'>

/** The time in milliseconds that the person who asked waits. An older request is void. */
const validMs = 60_000

const file = note('runtimeBack', askedBack, 65_536)

export const askBack: (place: BackPath, asked: AskedBack) => void = file.write

export function readAskedBack(place: BackPath): AskedBack | undefined {
  const asked = file.read(place)
  return asked && Math.abs(Date.now() - asked.at) < validMs ? asked : undefined
}

export function dropAskedBack(place: BackPath): void {
  try {
    removeDurably(place.runtimeBack)
  } catch (error) {
    if (codeOf(error) === undefined) throw error // the disk refuses to remove it; it still counts as taken once
  }
}
