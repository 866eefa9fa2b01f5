/**
 * The part of the journal of commands that the disk has refused, kept in memory until there is room. A command that
 * could not be noted is refused, and its ack is sent from here. A command that was carried out keeps its outcome.
 */
import type { Folder } from '../../machine/files/folder.ts'
import { isDiskFault } from '../../machine/files/space.ts'
import { type CommandEntry, type Journal, readJournal, saveJournal } from './journal.ts'

/** Entries that are newer than those in the journal on the disk, or missing there. */
export interface CommandMemory {
  entries: readonly CommandEntry[]
}
export const noMemory = (): CommandMemory => ({ entries: [] })

/** The journal as this process knows it. Throws like `readJournal`. */
export const journalNow = (folder: Folder, { entries }: CommandMemory): Journal => merged(readJournal(folder), entries)

/**
 * Changes the journal. What the disk refuses stays in memory, and the next change tries again to store it. Returns the
 * new journal, and the error if it could not be stored.
 */
export function changeJournal(
  folder: Folder,
  memory: CommandMemory,
  change: (journal: Journal) => Journal,
): { readonly journal: Journal; readonly refused?: unknown } {
  const stored = readJournal(folder)
  const before = merged(stored, memory.entries)
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

function merged(stored: Journal, entries: readonly CommandEntry[]): Journal {
  if (entries.length === 0) return stored
  const newer = new Map(entries.map((entry) => [entry.id, entry]))
  const kept = stored.map((entry) => newer.get(entry.id) ?? entry)
  const ids = new Set(stored.map(({ id }) => id))
  return [...kept, ...entries.filter(({ id }) => !ids.has(id))]
}
