/**
 * Stores who paused or resumed the agent, requested a run or changed settings, and when, for `svc why`. The pause, the
 * request and the settings themselves are in files that the agent reads.
 */
import { clean, cut, isObject } from '@svc/protocol'
import { type FileToWrite, writeDurably } from '../machine/files/durable.ts'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { readJsonObject } from '../machine/files/read.ts'
import { isDiskFault } from '../machine/files/space.ts'

/**
 * Who made a change, and when. `by` is `machine` for a command or a file on this machine, and `service` for a command
 * in an answer of the service.
 */
export interface Author {
  readonly by: 'machine' | 'service'
  /** The time of the change, in Unix seconds. */
  readonly at: number
  /** The user account on this machine of the person who made the change. */
  readonly user?: string
  /** The id of the command from the service. */
  readonly command?: string
}
/** The last change of each kind, with its author. */
export interface Changes {
  readonly paused?: Author & { readonly to: boolean }
  readonly run_now?: Author
  readonly settings: Readonly<Record<string, Author>>
  /** The values in the settings file that are only defaults of the manifest, by key. Nobody chose these values. */
  readonly filled: Readonly<Record<string, unknown>>
}

export function readChanges(folder: Folder): Changes {
  const { paused, run_now, settings, filled } = readJsonObject(folder.changes) ?? {}
  const pausedBy = readAuthor(paused)
  const ranBy = readAuthor(run_now)
  const authors = Object.entries(isObject(settings) ? settings : {}).flatMap(([key, by]) => {
    const author = readAuthor(by)
    return author ? [[key, author] as const] : []
  })
  return {
    ...(pausedBy && { paused: { ...pausedBy, to: isObject(paused) && paused.to === true } }),
    ...(ranBy && { run_now: ranBy }),
    settings: recordOf(authors),
    filled: recordOf(Object.entries(isObject(filled) ? filled : {})),
  }
}

/** Notes who made a change. Errors of the disk are ignored, since the change has already happened. */
export function tryNoteChange(folder: Folder, change: Partial<Changes>): void {
  try {
    createFolders(folder)
    const { file, data, mode } = changesWith(folder, change)
    writeDurably(file, data, mode)
  } catch (error) {
    if (!isDiskFault(error)) throw error
  }
}

/** The content of the file of changes once `change` is added. */
export const changesWith = (folder: Folder, change: Partial<Changes>): FileToWrite => ({
  file: folder.changes,
  data: JSON.stringify({ ...readChanges(folder), ...change }),
  mode: 0o600,
})

/** Reads an author from unknown input; undefined for anything else. */
export function readAuthor(v: unknown): Author | undefined {
  if (!isObject(v) || (v.by !== 'machine' && v.by !== 'service') || typeof v.at !== 'number') return undefined
  return {
    by: v.by,
    at: v.at,
    ...(typeof v.user === 'string' && { user: v.user }),
    ...(typeof v.command === 'string' && { command: v.command }),
  }
}

/**
 * The author as a part of a sentence, such as `by the service (command 01…)`. The id of a command may be any text, so
 * it is cleaned and cut.
 */
export function changedBy({ by, user, command }: Author): string {
  if (by === 'service') return `by the service${command ? ` (command ${cut(clean(command), 60)})` : ''}`
  return `on this machine${user ? ` by ${user}` : ''}`
}

/** Creates an object without a prototype, since its keys come from files and could be names such as `__proto__`. */
export const recordOf = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.assign(Object.create(null), Object.fromEntries(entries))
