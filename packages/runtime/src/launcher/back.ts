/**
 * A person's wish to go back to the previous runtime, `.svc/runtime/back`: how `svc rollback-runtime` asks a launcher that is running.
 * Both files are named by what is in them, so that a wish that comes late cannot mean others.
 */

import { isObject } from '@svc/protocol'
import { codeOf } from '../errors.ts'
import { removeDurably, writeDurably } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'
import { readRelease } from '../versions/runtime-note.ts'
import type { Release } from './trial.ts'

export interface AskedBack {
  readonly from: Release
  readonly to: Release
  readonly by: string
  /** Unix ms. */
  readonly at: number
}
type Place = Pick<Folder, 'runtimeBack'>

/** Who asked waits no longer than this. */
const validMs = 60_000

export const askBack = (place: Place, asked: AskedBack): void =>
  writeDurably(place.runtimeBack, `${JSON.stringify(asked)}\n`, 0o600)

export function readAskedBack(place: Place): AskedBack | undefined {
  const { from, to, by, at } = readJsonObject(place.runtimeBack, 65_536) ?? {}
  const old = isObject(from) ? readRelease(from) : undefined
  const fresh = isObject(to) ? readRelease(to) : undefined
  if (!old || !fresh || typeof by !== 'string' || typeof at !== 'number') return undefined
  return Math.abs(Date.now() - at) < validMs ? { from: old, to: fresh, by, at } : undefined
}

export function dropAskedBack(place: Place): void {
  try {
    removeDurably(place.runtimeBack)
  } catch (error) {
    if (codeOf(error) === undefined) throw error // a disk that refuses: it is taken once all the same
  }
}
