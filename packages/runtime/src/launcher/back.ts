/**
 * A person's wish to go back to the previous runtime, `.svc/runtime/back`: how `svc rollback-runtime` asks a launcher that is running.
 * Both files are named by what is in them, so that a wish that comes late cannot mean others.
 */
import { number, object } from '@svc/protocol/fields'
import { codeOf } from '../errors.ts'
import { removeDurably } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { type Noted, note, words } from '../files/note.ts'
import { release } from '../versions/release.ts'

/** `at`: Unix ms. */
const askedBack = object({ from: release, to: release, by: words, at: number() }, 'from', 'to', 'by', 'at')
export type AskedBack = Noted<typeof askedBack>
type BackPath = Pick<Folder, 'runtimeBack'>

/** Who asked waits no longer than this. */
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
    if (codeOf(error) === undefined) throw error // a disk that refuses: it is taken once all the same
  }
}
