/**
 * The journal of commands (D4, I4): an id is written down, synced, before its command is applied, and its answer after. So an id is
 * applied at most once, whatever is killed when. It is the outbox as well: an ack stays until a report that carried it was answered.
 */
import { type Ack, isObject, limits, type ReceivedCommand } from '@svc/protocol'
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readFile } from '../files/read.ts'

export interface Entry {
  readonly id: string
  readonly type: string
  /** What the command carried; only until it is answered. */
  readonly payload?: ReceivedCommand['payload']
  /** Unix seconds. */
  readonly received: number
  readonly answered?: number
  readonly ok?: boolean
  readonly message?: string
  /** The ack still has to reach the service. */
  readonly owed?: boolean
}
export type Journal = readonly Entry[]

/** Throws when the journal is there and cannot be read: without it nothing may be applied. */
export function readJournal(folder: Folder): Journal {
  const read = readFile(folder.commands, 64 * 1024 * 1024)
  if (read.is === 'missing') return []
  if (read.is === 'unreadable') throw new Error(`${folder.commands} ${read.why}.`)
  try {
    const parsed: unknown = JSON.parse(read.bytes.toString('utf8'))
    if (isObject(parsed) && Array.isArray(parsed.commands)) return parsed.commands.filter(isEntry)
  } catch {
    // falls through
  }
  throw new Error(
    `${folder.commands} is damaged. Look at it and remove it; commands received before may then come again.`,
  )
}

export function saveJournal(folder: Folder, journal: Journal): void {
  prepare(folder)
  writeDurably(folder.commands, JSON.stringify({ commands: journal }), 0o600)
}

export const replace = (journal: Journal, entry: Entry): Journal =>
  journal.map((other) => (other.id === entry.id ? entry : other))

/** The acks of the next report: the oldest hundred, as far as they fit (D19). The others go with the reports after it. */
export function owedAcks(journal: Journal): Ack[] {
  const oldest = journal
    .filter((e) => e.owed)
    .slice(0, limits.acks)
    .map(({ id, ok = false, message }) => ({ id, ok, ...(message !== undefined && { message }) }))
  let [count, bytes] = [0, 0]
  for (const ack of oldest) {
    bytes += Buffer.byteLength(JSON.stringify(ack))
    if (bytes > limits.ackBytes) break
    count++
  }
  return oldest.slice(0, count)
}

/** After an answered report: the acks it carried have arrived. */
export const acksArrived = (journal: Journal, acks: readonly Ack[]): Journal => {
  const ids = new Set(acks.map((ack) => ack.id))
  return journal.map(({ owed, ...entry }) => (owed && !ids.has(entry.id) ? { ...entry, owed } : entry))
}

/** Forgets ids older than seven days beyond the newest thousand; never one that is open. `now` in Unix seconds. */
export const forget = (journal: Journal, now: number): Journal =>
  journal.filter(
    (e, i) =>
      e.answered === undefined ||
      e.owed ||
      now - e.received <= limits.journalSeconds ||
      journal.length - i <= limits.journalIds,
  )

const isEntry = (v: unknown): v is Entry =>
  isObject(v) && typeof v.id === 'string' && typeof v.type === 'string' && typeof v.received === 'number'
