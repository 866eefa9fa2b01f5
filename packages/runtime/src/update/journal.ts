/**
 * What is known of the versions of an agent, `.svc/journal/update.json`: written, synced, before each step, so that whoever comes after a
 * kill knows what to finish or to undo (docs/decisions/kills.md). Only who holds the folder's `runtime` lock writes it.
 */
import { type Applied, isObject, type Level, levels } from '@svc/protocol'
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readFile, readJsonObject } from '../files/read.ts'
import { type State, states } from './moves.ts'

export interface Release {
  readonly version: string
  /** Of its bundle; the folder is named by it. Of the present version perhaps only its beginning. */
  readonly sha256: string
}
/** D25: not applied until the service names another version. */
export interface Hold {
  readonly version: string
  readonly reason: string
}
/** The 30 minutes after a keep (3.3, D27, D28). Times in seconds of running. */
export interface Window {
  /** The level at the keep. */
  readonly baseline: Level
  readonly ran: number
  /** Evaluations in a row that were worse. */
  readonly worse: number
  /** How often the verdict changed between worse and not. */
  readonly flips: number
  /** How often the process died by itself. */
  readonly deaths: number
}
export interface Update {
  readonly state: State
  /** The version that works: while a new one is proved, the one before it. */
  readonly running: Release
  /** Complete on the disk, for a way back that needs no network. */
  readonly previous?: Release
  /** The version that an update is about, from the wish until the keep. */
  readonly to?: Release
  /** Proofs of `to` that were begun: a start after a kill grants one more. */
  readonly proofs?: number
  readonly window?: Window
  /** What an undoing leaves behind. */
  readonly away?: Release
  /** 2.5: of the last attempt. */
  readonly applied?: Applied
  readonly hold?: Hold
  /** When versions were rolled back, Unix ms: of the last day (D29). */
  readonly rollbacks: readonly { readonly version: string; readonly at: number }[]
  /** After a transient failure: not before, Unix ms. */
  readonly retry?: { readonly version: string; readonly at: number }
  /** The last wish of a person on this machine, and what came of it. */
  readonly asked?: { readonly id: string; readonly ok: boolean; readonly message: string }
}

type Place = Pick<Folder, 'update'>
const mostBytes = 262_144

export function writeUpdate(folder: Folder, update: Update): void {
  prepare(folder)
  writeDurably(folder.update, `${JSON.stringify(update)}\n`, 0o600)
}

/** Why the disk does not give it out; undefined also where there is none. */
export function unreadable(folder: Place): string | undefined {
  const read = readFile(folder.update, mostBytes)
  return read.is === 'unreadable' ? `the journal of updates ${read.why}` : undefined
}

/** Undefined when there was no update yet, or what stands there is none: then `current` says what runs. */
export function readUpdate(folder: Place): Update | undefined {
  const v = readJsonObject(folder.update, mostBytes)
  const state = states.find((s) => s === v?.state)
  const running = release(v?.running)
  if (!v || !state || !running) return undefined
  const previous = release(v.previous)
  const to = release(v.to)
  const away = release(v.away)
  const window = windowOf(v.window)
  const applied = appliedOf(v.applied)
  const { hold, retry, asked, proofs } = v
  return {
    state,
    running,
    ...(previous && { previous }),
    ...(to && { to }),
    ...(typeof proofs === 'number' && { proofs }),
    ...(window && { window }),
    ...(away && { away }),
    ...(applied && { applied }),
    ...(isObject(hold) &&
      typeof hold.version === 'string' && { hold: { version: hold.version, reason: text(hold.reason) } }),
    rollbacks: (Array.isArray(v.rollbacks) ? v.rollbacks : []).flatMap((r: unknown) =>
      isObject(r) && typeof r.version === 'string' ? [{ version: r.version, at: number(r.at) }] : [],
    ),
    ...(isObject(retry) &&
      typeof retry.version === 'string' && { retry: { version: retry.version, at: number(retry.at) } }),
    ...(isObject(asked) &&
      typeof asked.id === 'string' && {
        asked: { id: asked.id, ok: asked.ok === true, message: text(asked.message) },
      }),
  }
}

const release = (v: unknown): Release | undefined =>
  isObject(v) && typeof v.version === 'string' && typeof v.sha256 === 'string'
    ? { version: v.version, sha256: v.sha256 }
    : undefined

function windowOf(v: unknown): Window | undefined {
  if (!isObject(v)) return undefined
  return {
    baseline: levels.find((l) => l === v.baseline) ?? 'ok',
    ran: number(v.ran),
    worse: number(v.worse),
    flips: number(v.flips),
    deaths: number(v.deaths),
  }
}

function appliedOf(v: unknown): Applied | undefined {
  if (!isObject(v) || (v.outcome !== 'ok' && v.outcome !== 'rolled_back' && v.outcome !== 'failed')) return undefined
  return { version: text(v.version), outcome: v.outcome, message: text(v.message) }
}

const text = (v: unknown): string => (typeof v === 'string' ? v : '')
const number = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) ? v : 0)
