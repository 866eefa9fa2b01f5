/**
 * Who put the agent into its state, and when, for `svc why`; stored beside the journal. The state itself is in the
 * files that the agent reads.
 */
import { clean, cut, isObject } from '@svc/protocol'
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'

/** `machine`: a command or file on this machine. `service`: a command in an answer. */
export interface Author {
  readonly by: 'machine' | 'service'
  /** Unix seconds. */
  readonly at: number
  /** The person's account on this machine. */
  readonly user?: string
  /** The id of the command from the service. */
  readonly command?: string
}
export interface Changes {
  readonly paused?: Author & { readonly to: boolean }
  readonly run_now?: Author
  readonly settings: Readonly<Record<string, Author>>
  /** The defaults that were filled into the settings file; nobody chose these values. */
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
    settings: table(authors),
    filled: table(Object.entries(isObject(filled) ? filled : {})),
  }
}

export function noteChange(folder: Folder, change: Partial<Changes>): void {
  prepare(folder)
  writeDurably(folder.changes, JSON.stringify({ ...readChanges(folder), ...change }), 0o600)
}

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
 * The author as a part of a sentence, such as `by the service (command 01…)`. The id may hold anything, so it is
 * cleaned and cut.
 */
export function byWhom({ by, user, command }: Author): string {
  if (by === 'service') return `by the service${command ? ` (command ${cut(clean(command), 60)})` : ''}`
  return `on this machine${user ? ` by ${user}` : ''}`
}

/** An object without a prototype, since its keys come from files. */
export const table = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.assign(Object.create(null), Object.fromEntries(entries))
