/**
 * The note `state/adopted.json`: what a person chose to show. It is not a setting, because an admin can change settings
 * on the page, and the page must not make a machine reveal more. Only `svc adopt` on the machine changes it.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { boolean, list, object, oneOf } from '@svc/protocol/fields'
import { createFolder, writeDurably } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { anyText, type NoteValue, withDefaults } from '../../machine/files/note.ts'
import { readJsonFile, readJsonObject } from '../../machine/files/read.ts'

const adopted = withDefaults(
  object({
    /** True if jobs are shown. */
    jobs: boolean,
    /** True if AI sessions are shown. */
    ai: boolean,
    /** The names of AI sessions: their numbers, or the folders in which they work. */
    names: oneOf(['number', 'folder']),
    /** The folders of AI tools besides their default folders, such as `claude=/srv/claude`. */
    folders: list(anyText, 50),
  }),
  { jobs: false, ai: false, names: 'number' as const, folders: [] as string[] },
)
export type AdoptedNote = NoteValue<typeof adopted>

const maxBytes = 65_536
const fileOf = ({ state }: Pick<Folder, 'state'>): string => join(state, 'adopted.json')

/** Reads the note. Undefined if it is missing or cannot be read; the host agent then shows nothing. */
export const readAdopted = (folder: Pick<Folder, 'state'>): AdoptedNote | undefined =>
  readJsonFile(fileOf(folder), maxBytes, (value) => adopted(value) as AdoptedNote | undefined)

/** True if the note exists and cannot be read, so that nobody knows what a person chose to show. */
export const isAdoptedDamaged = (folder: Pick<Folder, 'state'>): boolean =>
  readAdopted(folder) === undefined && existsSync(fileOf(folder))

/** Writes the note. Keeps fields that this version of svc does not know, since a newer svc may have written them. */
export function writeAdopted(folder: Pick<Folder, 'state'>, note: AdoptedNote): void {
  createFolder(folder.state)
  const before = readJsonObject(fileOf(folder), maxBytes)
  writeDurably(fileOf(folder), `${JSON.stringify({ ...before, ...note })}\n`, 0o600)
}

/** Removes the note. The next adoption may be for another service, so it asks again. */
export const forgetAdopted = (folder: Pick<Folder, 'state'>): void => rmSync(fileOf(folder), { force: true })
