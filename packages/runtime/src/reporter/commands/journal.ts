/**
 * The journal of commands (D4, I4). The id of a command is written and synced before the command is applied, and its
 * outcome afterwards. So a command is applied at most once, even if the process is killed. An outcome is sent as an ack
 * with each report until the service has answered one of them.
 */
import { type Ack, isObject, limits } from '@svc/protocol'
import { boolean, field, list, number, object } from '@svc/protocol/fields'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue } from '../../machine/files/note.ts'
import { isDiskFault } from '../../machine/files/space.ts'

const entry = object(
  {
    id: anyText,
    type: anyText,
    /** The payload of the command, kept only until the outcome is written. */
    payload: field((v) => (isObject(v) ? v : undefined), { type: 'object' }),
    /** The time at which the runtime received this command, in Unix seconds. */
    received: number(),
    answered: number(),
    ok: boolean,
    message: anyText,
    /** True until the service has received the ack of this command. */
    owed: boolean,
  },
  'id',
  'type',
  'received',
)
export type CommandEntry = NoteValue<typeof entry>
export type Journal = readonly CommandEntry[]

const file = describeNote(
  'commands',
  object({ commands: list(entry, Number.POSITIVE_INFINITY) }, 'commands'),
  64 * 1024 * 1024,
)

/**
 * Reads the journal. Throws if the journal exists and cannot be read, since commands could be applied twice without it.
 */
export function readJournal(folder: Folder): Journal {
  const read = file.inspect(folder)
  if (read.is === 'read') return read.value.commands
  if (read.is === 'missing') return []
  if (read.is === 'unreadable') throw new Error(`${folder.commands} ${read.why}.`)
  throw new Error(
    `${folder.commands} is damaged. Check it and remove it. Commands received before may then be delivered again.`,
  )
}

export function saveJournal(folder: Folder, commands: Journal): void {
  createFolders(folder)
  file.write(folder, { commands })
}

export const withEntry = (journal: Journal, entry: CommandEntry): Journal =>
  journal.map((other) => (other.id === entry.id ? entry : other))

/**
 * Returns the acks for the next report: the oldest hundred, or fewer if they would exceed the size limit of D19. Later
 * reports send the rest.
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

/** Marks these acks as no longer owed, after the service has answered the report that carried them. */
export const dropAcks = (journal: Journal, acks: readonly Ack[]): Journal => {
  const ids = new Set(acks.map((ack) => ack.id))
  return journal.map(({ owed, ...entry }) => (owed && !ids.has(entry.id) ? { ...entry, owed } : entry))
}

/**
 * Drops commands from the journal that are older than seven days and not among the newest thousand. A command without
 * an outcome, or whose ack still has to be sent, is never dropped. `now` is in Unix seconds.
 */
export const forgetOldEntries = (journal: Journal, now: number): Journal =>
  journal.filter(
    (e, i) =>
      e.answered === undefined ||
      e.owed ||
      now - e.received <= limits.journalSeconds ||
      journal.length - i <= limits.journalIds,
  )

/**
 * The entries of the journal that the disk refused, kept in memory until the disk takes them, such as outcomes of
 * commands, and commands that were refused because they could not be noted. Their acks are sent from here.
 */
export interface CommandMemory {
  entries: readonly CommandEntry[]
}
export const newCommandMemory = (): CommandMemory => ({ entries: [] })

/** The journal as this process knows it. Throws like `readJournal`. */
export const knownJournal = (folder: Folder, { entries }: CommandMemory): Journal =>
  mergeEntries(readJournal(folder), entries)

/**
 * Changes the journal. A change that the disk refuses stays in memory, and the next change tries to store it again.
 * Returns the new journal, and the error if it could not be stored.
 */
export function changeJournal(
  folder: Folder,
  memory: CommandMemory,
  change: (journal: Journal) => Journal,
): { readonly journal: Journal; readonly refused?: unknown } {
  const stored = readJournal(folder)
  const before = mergeEntries(stored, memory.entries)
  const journal = change(before)
  if (journal === before && memory.entries.length === 0) return { journal }
  try {
    saveJournal(folder, journal)
    memory.entries = []
    return { journal }
  } catch (refused) {
    if (!isDiskFault(refused)) throw refused
    const known = new Set(stored)
    memory.entries = journal.filter((entry) => !known.has(entry))
    return { journal, refused }
  }
}

function mergeEntries(stored: Journal, entries: readonly CommandEntry[]): Journal {
  if (entries.length === 0) return stored
  const newer = new Map(entries.map((entry) => [entry.id, entry]))
  const kept = stored.map((entry) => newer.get(entry.id) ?? entry)
  const ids = new Set(stored.map(({ id }) => id))
  return [...kept, ...entries.filter(({ id }) => !ids.has(id))]
}
