/**
 * The journal of commands (D4, I4). An id is written and synced before its command is applied, and its answer after, so
 * an id is applied at most once, whenever a process is killed. It is also the outbox: an ack stays until a report that
 * carried it was answered.
 */
import { type Ack, isObject, limits } from '@svc/protocol'
import { boolean, field, list, number, object } from '@svc/protocol/fields'
import { type Folder, prepare } from '../files/folder.ts'
import { type Noted, note, words } from '../files/note.ts'

const entry = object(
  {
    id: words,
    type: words,
    /** The payload of the command, kept only until it is answered. */
    payload: field((v) => (isObject(v) ? v : undefined), { type: 'object' }),
    /** Unix seconds. */
    received: number(),
    answered: number(),
    ok: boolean,
    message: words,
    /** True while the ack still has to reach the service. */
    owed: boolean,
  },
  'id',
  'type',
  'received',
)
export type CommandEntry = Noted<typeof entry>
export type Journal = readonly CommandEntry[]

const file = note('commands', object({ commands: list(entry, Number.POSITIVE_INFINITY) }, 'commands'), 64 * 1024 * 1024)

/** Throws if the journal exists and cannot be read, since nothing may be applied without it. */
export function readJournal(folder: Folder): Journal {
  const seen = file.look(folder)
  if (seen.is === 'read') return seen.value.commands
  if (seen.is === 'missing') return []
  if (seen.is === 'unreadable') throw new Error(`${folder.commands} ${seen.why}.`)
  throw new Error(
    `${folder.commands} is damaged. Check it and remove it. Commands received before may then be delivered again.`,
  )
}

export function saveJournal(folder: Folder, commands: Journal): void {
  prepare(folder)
  file.write(folder, { commands })
}

export const replace = (journal: Journal, entry: CommandEntry): Journal =>
  journal.map((other) => (other.id === entry.id ? entry : other))

/** The acks for the next report: the oldest hundred, as far as they fit (D19). The others go with later reports. */
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

/** Drops acks from the outbox after the report that carried them was answered. */
export const acksArrived = (journal: Journal, acks: readonly Ack[]): Journal => {
  const ids = new Set(acks.map((ack) => ack.id))
  return journal.map(({ owed, ...entry }) => (owed && !ids.has(entry.id) ? { ...entry, owed } : entry))
}

/**
 * Forgets ids that are older than seven days and not among the newest thousand, but never an open one. `now` is in Unix
 * seconds.
 */
export const forget = (journal: Journal, now: number): Journal =>
  journal.filter(
    (e, i) =>
      e.answered === undefined ||
      e.owed ||
      now - e.received <= limits.journalSeconds ||
      journal.length - i <= limits.journalIds,
  )
