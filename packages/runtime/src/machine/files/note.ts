/**
 * Describes a note, a small JSON file on the disk, in one place: its type, its maximum size, a reader that never
 * throws, and a writer. Properties that are unknown or have another type are left out, so that notes of older and newer
 * runtimes can be read.
 */
import { type Field, type FieldValue, field, type JsonSchema } from '@svc/protocol/fields'
import { writeDurably, writeLightly } from './durable.ts'
import type { Folder } from './folder.ts'
import { inspectJson, readJsonFile } from './read.ts'
import type { WritePurpose } from './reserve.ts'

/** The notes that were described so far, by the name of their path, with the JSON Schema of what each holds. */
export const describedNotes = new Map<keyof Folder, JsonSchema>()

interface Note<K extends keyof Folder, T> {
  /** Reads the note; undefined if it is missing, unreadable or damaged. */
  read(folder: Pick<Folder, K>): T | undefined
  /** Reads the note, and says whether it is missing, unreadable or damaged. */
  inspect(folder: Pick<Folder, K>): ReturnType<typeof inspectJson<T>>
  /** Replaces the note in one step. */
  write(folder: Pick<Folder, K>, value: T, purpose?: WritePurpose): void
}

/** By default, a note is written durably, and only its owner can read it. */
interface WriteOptions {
  /** True if the note is not synced, so that a power failure may undo the last change. */
  readonly isLight?: true
  readonly mode?: number
}

/** Describes a note: `key` is the name of its path in folder.ts, `max` its maximum size in bytes. */
export function describeNote<K extends keyof Folder, F extends Field<unknown>>(
  key: K,
  field: F,
  max: number,
  { isLight, mode = 0o600 }: WriteOptions = {},
): Note<K, NoteValue<F>> {
  describedNotes.set(key, field.schema)
  const keep = (value: unknown) => field(value) as NoteValue<F> | undefined
  return {
    inspect: (folder) => inspectJson(String(folder[key]), max, keep),
    read: (folder) => readJsonFile(String(folder[key]), max, keep),
    write: (folder, value, purpose) => {
      const text = `${JSON.stringify(value)}\n`
      if (isLight) writeLightly(String(folder[key]), text, mode)
      else writeDurably(String(folder[key]), text, mode, purpose)
    },
  }
}

export type NoteValue<F> = DeepReadonly<FieldValue<F>>
type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** A field for any text. Its content is not checked, since only svc writes notes. */
export const anyText: Field<string> = field((v) => (typeof v === 'string' ? v : undefined), { type: 'string' })
/** A field that is either true or absent. */
export const trueField: Field<true> = field((v) => (v === true ? v : undefined), { const: true })

/** A field for an object in which missing properties get a default. */
export const withDefaults = <T extends object, K extends keyof T>(
  whole: Field<T>,
  defaults: { readonly [P in K]: Required<T>[P] },
): Field<WithDefaults<T, K>> =>
  field((v) => {
    const kept = whole(v)
    return kept && ({ ...defaults, ...kept } as unknown as WithDefaults<T, K>)
  }, whole.schema)
type WithDefaults<T, K extends keyof T> = Omit<T, K> & Required<Pick<T, K>>
