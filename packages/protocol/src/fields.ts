/**
 * Fields describe what the service and the runtime read from JSON. A field is a function that takes unknown input and
 * returns the part of it that is kept. The field also has a JSON Schema for exactly the inputs that it keeps unchanged.
 * TypeScript types are derived from fields (`FieldValue`), so that nothing is written twice.
 */
import { limits } from './limits.ts'
import { isLink, linkPattern } from './link.ts'
import type { Notes } from './notes.ts'
import { clean, cut, tidyPattern } from './text.ts'

export type JsonSchema = { readonly [key: string]: unknown }

/**
 * Reads a parsed JSON value, in which objects may be Maps (json-large.ts). Returns the part that is kept (`input`
 * itself if all is kept, undefined if nothing is), and never throws (2). `notes` collects what was dropped (2.11), and
 * `tidy` is true if all texts are known to be clean (D13).
 */
export interface Field<T> {
  (input: unknown, notes?: Notes, tidy?: boolean): T | undefined
  readonly schema: JsonSchema
}
/** The type of the values that a field returns. */
export type FieldValue<F> = F extends Field<infer T> ? T : never

type Shape = { readonly [key: string]: Field<unknown> }
type Flattened<T> = { [K in keyof T]: T[K] } & {}
type ObjectOf<S extends Shape, R extends keyof S> = Flattened<
  { [K in R]: FieldValue<S[K]> } & { [K in Exclude<keyof S, R>]?: FieldValue<S[K]> }
>

/** Makes a field from the function that reads a value and the schema of that value. */
export function field<T>(
  read: (input: unknown, notes?: Notes, tidy?: boolean) => T | undefined,
  schema: JsonSchema,
): Field<T> {
  return Object.assign(read, { schema })
}

/** A field for a text, which is cleaned (D13) and cut at `max` code points (D12). */
export const text = (max: number): Field<string> =>
  field((v, _notes, tidy) => (typeof v === 'string' ? cleanAndCut(v, max, tidy) : undefined), {
    type: 'string',
    maxLength: max,
    pattern: tidyPattern,
  })

/** A field for a text such as an id or a name. The text is cleaned and cut, and dropped if it is empty then. */
export const name = (max: number): Field<string> =>
  field((v, _notes, tidy) => (typeof v === 'string' ? cleanAndCut(v, max, tidy) || undefined : undefined), {
    type: 'string',
    minLength: 1,
    maxLength: max,
    pattern: tidyPattern,
  })

const cleanAndCut = (text: string, max: number, tidy: boolean | undefined): string =>
  tidy && text.length <= max ? text : cut(clean(text), max)

/**
 * A field for a text that would mean something else if it were cut, such as a version or a checksum. The text is kept
 * whole, or dropped if it is empty, too long, not clean, or does not match `shape`.
 */
export const exactText = (max: number, shape?: RegExp): Field<string> =>
  field(
    (v) =>
      typeof v === 'string' && v !== '' && cut(v, max) === v && clean(v) === v && (shape?.test(v) ?? true)
        ? v
        : undefined,
    { type: 'string', minLength: 1, maxLength: max, pattern: shape?.source ?? tidyPattern },
  )

/**
 * A field for a text that is sent back exactly as it came (2.7), with any characters. The text is kept whole, or
 * dropped if it is empty or too long.
 */
export const opaqueText = (max: number): Field<string> =>
  field((v) => (typeof v === 'string' && v !== '' && cut(v, max) === v ? v : undefined), {
    type: 'string',
    minLength: 1,
    maxLength: max,
  })

/**
 * A field for a finite number within the bounds; anything else is dropped (D12). Adding 0 turns -0 into 0, because JSON
 * writes -0 as 0.
 */
export const number = (min = -Infinity, max = Infinity): Field<number> =>
  field((v) => (typeof v === 'number' && Number.isFinite(v) && v >= min && v <= max ? v + 0 : undefined), {
    type: 'number',
    ...(min > -Infinity && { minimum: min }),
    ...(max < Infinity && { maximum: max }),
  })

/** A field for an integer of at least `min` that a double represents exactly; anything else is dropped (D12). */
export const integer = (min: number): Field<number> =>
  field((v) => (typeof v === 'number' && Number.isSafeInteger(v) && v >= min ? v + 0 : undefined), {
    type: 'integer',
    minimum: min,
    maximum: Number.MAX_SAFE_INTEGER,
  })

export const boolean: Field<boolean> = field((v) => (typeof v === 'boolean' ? v : undefined), { type: 'boolean' })

/** A field for one of the listed words. An unknown word is dropped. */
export const oneOf = <const T extends string>(words: readonly T[]): Field<T> =>
  field((v) => ((words as readonly unknown[]).includes(v) ? (v as T) : undefined), { enum: words })

/** A field for a link (2, D21). The link is kept whole or dropped. */
export const link: Field<string> = field((v) => (typeof v === 'string' && isLink(v) ? v : undefined), {
  type: 'string',
  pattern: linkPattern,
  maxLength: limits.url,
  $comment: 'The link must also parse as a URL (WHATWG).',
})

/** A field for a list. Invalid items are dropped. Of the valid items, only the first `max` are kept. */
export const list = <T>(item: Field<T>, max: number): Field<T[]> =>
  field(
    (v, notes, tidy) => {
      if (!Array.isArray(v)) return undefined
      let changed: T[] | undefined
      for (let i = 0; i < v.length; i++) {
        const count = changed ? changed.length : i
        if (count === max) return changed ?? v.slice(0, max)
        const value = notes ? notes.step(`[${i}]`, item, v[i]) : item(v[i], undefined, tidy)
        if (changed === undefined && !Object.is(value, v[i])) changed = v.slice(0, i)
        if (changed !== undefined && value !== undefined) changed.push(value)
      }
      return changed ?? v
    },
    { type: 'array', items: item.schema, maxItems: max },
  )

/**
 * A field for an object whose keys are not fixed. The keys are cleaned and cut like names, and at most `max` entries
 * are kept. The resulting object has no prototype (D13).
 */
export const record = <T>(value: Field<T>, max: number, keyMax: number = limits.name): Field<Record<string, T>> => {
  const readKey = name(keyMax)
  return field(
    (v, notes, tidy) => {
      if (!isObject(v)) return undefined
      if (v instanceof Map) return withoutPrototype(keptEntries(v, { value, readKey, max }, tidy))
      const keys = Object.keys(v)
      const stays = (key: string) =>
        readKey(key, undefined, tidy) === key && Object.is(value(v[key], undefined, tidy), v[key])
      if (!notes && keys.length <= max && keys.every(stays)) return Object.setPrototypeOf(v, null)
      const kept: Record<string, T> = Object.create(null)
      let count = 0
      for (const raw of keys) {
        if (count === max) break
        const key = readKey(raw)
        const read = notes ? notes.step(raw, value, v[raw]) : value(v[raw])
        if (key === undefined || read === undefined) continue
        if (!(key in kept)) count++
        kept[key] = read
      }
      return kept
    },
    {
      type: 'object',
      propertyNames: readKey.schema,
      additionalProperties: value.schema,
      maxProperties: max,
    },
  )
}

/**
 * An object whose keys are not fixed. It is a Map if `parseJson` made it a Map, because an object with thousands of new
 * keys is slow to make (json-large.ts).
 */
export type Dictionary<T> = Readonly<Record<string, T>> | ReadonlyMap<string, T>

/** A field like `record`, except that a Map stays a Map. */
export const dictionary = <T>(value: Field<T>, max: number): Field<Dictionary<T>> => {
  const asRecord = record(value, max)
  const readKey = name(limits.name)
  return field<Dictionary<T>>(
    (v, notes, tidy) => (v instanceof Map ? keptEntries(v, { value, readKey, max }, tidy) : asRecord(v, notes, tidy)),
    asRecord.schema,
  )
}

export function forEachEntry<T>(all: Dictionary<T>, each: (key: string, value: T) => void): void {
  if (all instanceof Map) for (const [key, value] of all) each(key, value)
  else for (const key in all) each(key, (all as Record<string, T>)[key] as T)
}

interface EntryRules<T> {
  value: Field<T>
  readKey: Field<string>
  max: number
}

function keptEntries<T>(
  entries: Map<string, unknown>,
  { value, readKey, max }: EntryRules<T>,
  tidy: boolean | undefined,
): Map<string, T> {
  const kept = new Map<string, T>()
  for (const [rawKey, rawValue] of entries) {
    if (kept.size === max) break
    const key = readKey(rawKey, undefined, tidy)
    const read = value(rawValue, undefined, tidy)
    if (key !== undefined && read !== undefined) kept.set(key, read)
  }
  return kept
}

function withoutPrototype<T>(entries: Map<string, T>): Record<string, T> {
  const all: Record<string, T> = Object.create(null)
  for (const [key, value] of entries) all[key] = value
  return all
}

/**
 * A field for an object with known keys; other keys are dropped. If a key in `required` is missing or invalid, the
 * whole object is dropped. A value of null counts as missing (2.1).
 */
export function object<S extends Shape, R extends keyof S & string = never>(
  shape: S,
  ...required: R[]
): Field<ObjectOf<S, R>> {
  const fields = new Map(Object.entries(shape))
  /** Reads an object that was parsed as a Map (json-large.ts). Only the known keys become properties of the result. */
  const ofMap = (v: Map<string, unknown>, tidy: boolean | undefined): ObjectOf<S, R> | undefined => {
    const whole: Record<string, unknown> = {}
    for (const [key, raw] of v) {
      const read = raw === null ? undefined : fields.get(key)
      const value = read?.(raw, undefined, tidy)
      if (value !== undefined) whole[key] = value
    }
    return required.every((key) => whole[key] !== undefined) ? (whole as ObjectOf<S, R>) : undefined
  }
  return field(
    (v, notes, tidy) => {
      if (!isObject(v)) return undefined
      if (v instanceof Map) return ofMap(v, tidy)
      let changed: Record<string, unknown> | undefined
      for (const key in v) {
        const raw = v[key]
        const read = fields.get(key)
        const value =
          read && raw !== null ? (notes ? notes.step(key, read, raw) : read(raw, undefined, tidy)) : undefined
        if (changed === undefined && !Object.is(value, raw)) changed = entriesBefore(key, v)
        if (changed !== undefined && value !== undefined) changed[key] = value
      }
      const whole = changed ?? v
      for (const key of required) if (whole[key] === undefined) return undefined
      if (notes) for (const key of Object.keys(v)) if (!fields.has(key)) notes.unknown(key)
      return whole as ObjectOf<S, R>
    },
    {
      type: 'object',
      properties: Object.fromEntries([...fields].map(([key, one]) => [key, one.schema])),
      ...(required.length > 0 && { required }),
    },
  )
}

/**
 * Copies the properties of an object that come before the property `end`.
 */
function entriesBefore(end: string, v: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key in v) {
    if (key === end) break
    copy[key] = v[key]
  }
  return copy
}

/** A field that accepts two kinds of values. It returns the result of `a` or, if `a` drops the input, of `b`. */
export const either = <A, B>(a: Field<A>, b: Field<B>): Field<A | B> =>
  field<A | B>((v, notes, tidy) => a(v, undefined, tidy) ?? b(v, notes, tidy), { anyOf: [a.schema, b.schema] })

export function isObject(v: unknown): v is Record<string, unknown> {
  return typeof v === 'object' && v !== null && !Array.isArray(v)
}
