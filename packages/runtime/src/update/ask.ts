/**
 * A person's wish on this machine, `.svc/update-ask.json`: how `svc rollback` asks a runtime that runs (D58). It names the version
 * that is to be left, so that one that comes late cannot mean another; what came of it stands in the update's journal under its id.
 */
import { join } from 'node:path'
import { removeDurably, writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'

export interface Asked {
  readonly id: string
  readonly what: 'rollback' | 'unhold'
  /** The version that ran when it was asked. */
  readonly running: string
  /** `on this machine by ann` */
  readonly by: string
  /** Unix ms. */
  readonly at: number
}
type Place = Pick<Folder, 'svc'>
const fileOf = ({ svc }: Place): string => join(svc, 'update-ask.json')

/** Who asked waits no longer than this. */
export const patienceMs = 60_000

export function ask(folder: Folder, asked: Asked): void {
  prepare(folder)
  writeDurably(fileOf(folder), `${JSON.stringify(asked)}\n`, 0o600)
}

export function readAsked(place: Place): Asked | undefined {
  const { id, what, running, by, at } = readJsonObject(fileOf(place), 65_536) ?? {}
  if (typeof id !== 'string' || (what !== 'rollback' && what !== 'unhold')) return undefined
  if (typeof running !== 'string' || typeof by !== 'string' || typeof at !== 'number') return undefined
  return Math.abs(Date.now() - at) < patienceMs ? { id, what, running, by, at } : undefined
}

export const dropAsked = (place: Place): boolean => removeDurably(fileOf(place))
