/**
 * Keeps the last report exactly as it was sent, and its answer, for the person at the machine (`svc outbox`). The token
 * is in neither of them; if an answer repeats the token, it is masked.
 */
import { cut } from '@svc/protocol'
import { writeLightly } from '../machine/files/durable.ts'
import { type Folder, prepare } from '../machine/files/folder.ts'
import { readJsonObject } from '../machine/files/read.ts'

export interface Outbox {
  readonly origin: string
  /** When the report was sent, in Unix seconds. */
  readonly sent: number
  /** The body of the report, byte for byte. */
  readonly report: string
  /** The HTTP status of the answer; absent if there was no answer. */
  readonly status?: number
  readonly answer?: string
  /** Why the report does not count as answered (D17). */
  readonly failure?: string
  /** When the last report that was successful had been sent, in Unix seconds; absent if there was none. */
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
