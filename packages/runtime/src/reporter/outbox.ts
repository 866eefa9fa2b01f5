/** The exact last report and its answer, kept for the person at the machine (`svc outbox`). Never the token: it is no part of either, and an answer that repeats it is masked. */
import { cut } from '@svc/protocol'
import { writeLightly } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'

export interface Outbox {
  readonly origin: string
  /** Unix seconds. */
  readonly sent: number
  /** The body, byte for byte. */
  readonly report: string
  /** Absent when none came. */
  readonly status?: number
  readonly answer?: string
  /** Why the report does not count as answered (D17). */
  readonly failure?: string
  /** When the last report was answered, whatever came of later ones. Unix seconds. */
  readonly reached?: number
}

const longestAnswer = 64 * 1024

export function writeOutbox(folder: Folder, outbox: Outbox, token: string): void {
  prepare(folder)
  const answer =
    outbox.answer === undefined ? undefined : cut(outbox.answer.replaceAll(token, '[masked]'), longestAnswer)
  writeLightly(folder.outbox, JSON.stringify({ ...outbox, ...(answer !== undefined && { answer }) }), 0o600)
}

export function readOutbox(folder: Folder): Outbox | undefined {
  const { origin, sent, report, status, answer, failure, reached } = readJsonObject(folder.outbox) ?? {}
  if (typeof origin !== 'string' || typeof sent !== 'number' || typeof report !== 'string') return undefined
  return {
    origin,
    sent,
    report,
    ...(typeof status === 'number' && { status }),
    ...(typeof answer === 'string' && { answer }),
    ...(typeof failure === 'string' && { failure }),
    ...(typeof reached === 'number' && { reached }),
  }
}
