/**
 * Stores what the reporter has learned about the agent's writes of its status file, so that a restart of the runtime
 * does not lose it (D65).
 */
import { writeLightly } from '../../machine/files/durable.ts'
import { type Folder, prepare } from '../../machine/files/folder.ts'
import { readJsonObject } from '../../machine/files/read.ts'
import { type FileCheck, recordCheck, type Writes } from './age.ts'

/** Reads what was stored about the writes of the status file; undefined if nothing readable was. */
export function readWrites(folder: Folder): Writes | undefined {
  const { mtime, at, looked, since, broken, started, last, longest } = readJsonObject(folder.statusWrites, 16_384) ?? {}
  if (!isTime(mtime) || !isTime(at) || !isTime(looked)) return undefined
  return {
    mtime,
    at,
    looked,
    ...(isTime(since) && { since }),
    ...(broken === true && { broken }),
    ...(typeof started === 'string' && { started }),
    ...(isTime(last) && { last }),
    longest: Array.isArray(longest) ? longest.filter(isGap) : [],
  }
}

const isTime = (v: unknown): v is number => typeof v === 'number' && Number.isFinite(v)
const isGap = (v: unknown): v is readonly [number, number] => Array.isArray(v) && v.length === 2 && v.every(isTime)

/**
 * True if it is time to save what was learned: at most once a minute if the agent has written its status file, and
 * every five minutes if it has not, since checks without a write are remembered, too.
 */
function worthSaving(saved: Writes | undefined, now: Writes): boolean {
  if (!saved) return true
  const since = now.looked - saved.looked
  return since < 0 || since >= 300_000 || (now.mtime !== saved.mtime && since >= 60_000)
}

/** Watches the writes of the status file while a reporter runs, and saves what it learns. */
export interface WritesWatch {
  readonly see: (what: Omit<FileCheck, 'now' | 'passed'>) => Writes
  readonly last: () => Writes | undefined
}

export function watchWrites(folder: Folder): WritesWatch {
  let saved = readWrites(folder)
  let last = saved
  let mono: number | undefined
  return {
    see: (what) => {
      const before = mono
      mono = performance.now()
      last = recordCheck(last, { ...what, now: Date.now(), passed: before === undefined ? undefined : mono - before })
      if (worthSaving(saved, last)) saved = trySaving(folder, last)
      return last
    },
    last: () => last,
  }
}

/**
 * Saves what was learned about the writes of the status file, if possible. With a full disk it has to be learned again
 * after a restart.
 */
function trySaving(folder: Folder, writes: Writes): Writes {
  try {
    saveWrites(folder, writes)
  } catch {}
  return writes
}

/** Saves what was learned without syncing. A power failure may lose it, and then it is learned again. */
function saveWrites(folder: Folder, writes: Writes): void {
  prepare(folder)
  writeLightly(folder.statusWrites, JSON.stringify(writes))
}
