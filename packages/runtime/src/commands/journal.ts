/**
 * The journal of commands (D4, I4). The id of a command is written and synced before the command is applied, and its
 * answer afterwards, so a command is applied at most once, even if the process is killed. The journal also holds the
 * acks that still have to be sent: an ack stays until the service has answered a report that carried it.
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
    /** When the runtime received this command, in Unix seconds. */
    received: number(),
    answered: number(),
    ok: boolean,
    message: words,
    /** True while the ack of this command still has to reach the service. */
    owed: boolean,
  },
  'id',
  'type',
  'received',
)
export type CommandEntry = Noted<typeof entry>
export type Journal = readonly CommandEntry[]

const file = note('commands', object({ commands: list(entry, Number.POSITIVE_INFINITY) }, 'commands'), 64 * 1024 * 1024)

/** Reads the journal. Throws if it exists and cannot be read, since without it a command could be applied twice. */
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

/**
 * The acks for the next report: the oldest hundred, as far as they fit into the limit of D19. The others are sent with
 * later reports.
 */
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

/** Marks acks as delivered, after the service has answered the report that carried them. */
export const acksArrived = (journal: Journal, acks: readonly Ack[]): Journal => {
  const ids = new Set(acks.map((ack) => ack.id))
  return journal.map(({ owed, ...entry }) => (owed && !ids.has(entry.id) ? { ...entry, owed } : entry))
}

/**
 * Forgets commands that are older than seven days and not among the newest thousand. A command that has no answer, or
 * whose ack still has to be sent, is never forgotten. `now` is in Unix seconds.
 */
export const forget = (journal: Journal, now: number): Journal =>
  journal.filter(
    (e, i) =>
      e.answered === undefined ||
      e.owed ||
      now - e.received <= limits.journalSeconds ||
      journal.length - i <= limits.journalIds,
  )
