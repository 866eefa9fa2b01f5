/**
 * Describes a note, a small file on the disk, in one place. Its fields give its type, a reader that never throws, a
 * durable writer and a maximum size. A field that is missing or has another type gets its default, so notes of older
 * and newer runtimes can be read.
 */
import { type Field, field, type JsonSchema, type Kept } from '@svc/protocol/fields'
import { writeDurably } from './durable.ts'
import type { Folder } from './folder.ts'
import { readFile } from './read.ts'
import type { Purpose } from './reserve.ts'

/** The notes that were described so far, by the name of their path, with the JSON Schema of what each holds. */
export const describedNotes = new Map<keyof Folder, JsonSchema>()

interface Note<K extends keyof Folder, T> {
  /** Reads the note; undefined if it is missing, unreadable or damaged. */
  read(folder: Pick<Folder, K>): T | undefined
  /**
   * Reads the note, and says whether it is missing, unreadable or damaged. `why` is the end of a sentence that begins
   * with the name of the note.
   */
  inspect(
    folder: Pick<Folder, K>,
  ):
    | { readonly is: 'read'; readonly value: T }
    | { readonly is: 'missing' | 'damaged' }
    | { readonly is: 'unreadable'; readonly why: string }
  /** Replaces the note in one step. Only its owner can read it. */
  write(folder: Pick<Folder, K>, value: T, purpose?: Purpose): void
}

/** Describes a note: `key` is the name of its path in folder.ts, `max` its maximum size in bytes. */
export function note<K extends keyof Folder, F extends Field<unknown>>(
  key: K,
  read: F,
  max: number,
): Note<K, Noted<F>> {
  describedNotes.set(key, read.schema)
  const inspect: Note<K, Noted<F>>['inspect'] = (folder) => {
    const file = readFile(String(folder[key]), max)
    if (file.is !== 'bytes') return file
    const value = read(parsed(file.bytes)) as Noted<F> | undefined
    return value === undefined ? { is: 'damaged' } : { is: 'read', value }
  }
  return {
    inspect,
    read: (folder) => {
      const seen = inspect(folder)
      return seen.is === 'read' ? seen.value : undefined
    },
    write: (folder, value, purpose) => writeDurably(String(folder[key]), `${JSON.stringify(value)}\n`, 0o600, purpose),
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The type of a note; all its properties are readonly. */
export type Noted<F> = Fixed<Kept<F>>
type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T

/** A field for any text. Its content is not checked, since only the runtime writes notes. */
export const words: Field<string> = field((v) => (typeof v === 'string' ? v : undefined), { type: 'string' })
/** A field that is either true or absent. */
export const yes: Field<true> = field((v) => (v === true ? v : undefined), { const: true })

/** A field for an object in which missing properties get a default. */
export const filled = <T extends object, K extends keyof T>(
  whole: Field<T>,
  defaults: { readonly [P in K]: Required<T>[P] },
): Field<Filled<T, K>> =>
  field((v) => {
    const kept = whole(v)
    return kept && ({ ...defaults, ...kept } as unknown as Filled<T, K>)
  }, whole.schema)
type Filled<T, K extends keyof T> = Omit<T, K> & Required<Pick<T, K>>
