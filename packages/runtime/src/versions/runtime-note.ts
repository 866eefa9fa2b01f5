/**
 * The note about the runtime's own file, `.svc/runtime/runtime.json`. The launcher alone writes it, or whoever holds the folder's
 * `runtime` lock; a copy that a person pinned is a file of its own (`pinned`), since it is written at any time.
 */
import { type Applied, isObject } from '@svc/protocol'
import { makeFolder, writeDurably } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'
import type { Hold, Release, RuntimeNote, Trial } from '../launcher/trial.ts'

export function writeRuntimeNote(folder: Pick<Folder, 'runtimeFolder' | 'runtimeNote'>, note: RuntimeNote): void {
  makeFolder(folder.runtimeFolder)
  writeDurably(folder.runtimeNote, `${JSON.stringify(note)}\n`, 0o600)
}

/** Empty when there is none, or none that can be read: then nothing is on trial, and nobody can go back by himself. */
export function readRuntimeNote(folder: Pick<Folder, 'runtimeNote'>): RuntimeNote {
  return runtimeNoteOf(readJsonObject(folder.runtimeNote, 65_536) ?? {})
}

export function runtimeNoteOf(v: Record<string, unknown>): RuntimeNote {
  const trial = isObject(v.trial) ? trialOf(v.trial) : undefined
  const applied = isObject(v.applied) ? appliedOf(v.applied) : undefined
  const hold = isObject(v.hold) ? holdOf(v.hold) : undefined
  return { ...(trial && { trial }), ...(applied && { applied }), ...(hold && { hold }) }
}

/** D31: whether a new runtime is on trial. One that reported is not any more. */
export const onTrial = (folder: Pick<Folder, 'runtimeNote'>): boolean => {
  const { trial } = readRuntimeNote(folder)
  return trial !== undefined && trial.is !== 'kept'
}

function trialOf({ is, from, to, starts, began, processes, reason, at }: Record<string, unknown>): Trial | undefined {
  const old = isObject(from) ? readRelease(from) : undefined
  const fresh = isObject(to) ? readRelease(to) : undefined
  if (!old || !fresh) return undefined
  if (is === 'undoing') return { is, from: old, to: fresh, reason: text(reason), at: number(at) }
  if (is !== 'trying' && is !== 'kept') return undefined
  return { is, from: old, to: fresh, starts: number(starts), began: number(began), processes: number(processes) }
}

export const readRelease = ({ version, sha256 }: Record<string, unknown>): Release | undefined =>
  typeof version === 'string' && typeof sha256 === 'string' ? { version, sha256 } : undefined

const holdOf = ({ version, reason, running }: Record<string, unknown>): Hold | undefined =>
  typeof version === 'string' ? { version, reason: text(reason), running: text(running) } : undefined

function appliedOf({ version, outcome, message }: Record<string, unknown>): Applied | undefined {
  if (outcome !== 'ok' && outcome !== 'rolled_back' && outcome !== 'failed') return undefined
  return { version: text(version), outcome, message: text(message) }
}

const text = (v: unknown): string => (typeof v === 'string' ? v : '')
const number = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) ? v : 0)
