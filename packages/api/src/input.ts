/**
 * Readers for the input of requests. A JSON body is read strictly, and a refusal names the wrong field. A query string
 * is read leniently.
 */
import { isObject, readPasted, shown } from '@svc/protocol'

/** A request that cannot be understood. The message says which field is wrong and what is accepted. */
export class InputRefused extends Error {
  readonly code: string
  constructor(message: string, code = 'body_invalid') {
    super(message)
    this.code = code
  }
}

/**
 * A function that reads one field of a request. It returns the field's value, or throws InputRefused with a message
 * that names the field; `field` is that name. `Sent` is the type that a caller may send.
 */
export interface Reader<Read, Sent = Read> {
  (value: unknown, field: string): Read
  /** Never set. This property only tells the compiler the type `Sent`. */
  readonly sent?: Sent
}
type ReadBy<R> = R extends Reader<infer T, infer _> ? T : never

function refuse(field: string, accepts: string, value: unknown): never {
  const name = field === '' ? 'The body' : field
  throw new InputRefused(
    `${name} must be ${accepts}: ${value === undefined ? 'it is missing' : `got ${shown(value)}`}.`,
  )
}

/** Reads a text of at most `max` UTF-16 code units. */
export const text =
  (max = Infinity): Reader<string> =>
  (value, field) =>
    typeof value !== 'string'
      ? refuse(field, 'a text', value)
      : value.length <= max
        ? value
        : refuse(field, `a text of at most ${max} characters`, value)

/**
 * Reads an identifier that people paste, of at most `max` UTF-16 code units. Characters that nobody sees are removed at
 * its ends and refused inside. A refusal about a secret does not repeat it.
 */
export const pasted =
  ({ max = Infinity, secret = false }: { max?: number; secret?: boolean } = {}): Reader<string> =>
  (value, field) => {
    const read = readPasted(field, text(max)(value, field), { secret })
    if (!read.ok) throw new InputRefused(read.message)
    return read.value
  }

export const number: Reader<number> = (value, field) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse(field, 'a number', value)

export const flag: Reader<boolean> = (value, field) =>
  typeof value === 'boolean' ? value : refuse(field, 'true or false', value)

export const oneOf =
  <const T extends string>(words: readonly T[]): Reader<T> =>
  (value, field) =>
    (words as readonly unknown[]).includes(value)
      ? (value as T)
      : refuse(field, `one of ${words.map((word) => `"${word}"`).join(', ')}`, value)

export const list =
  <T>(item: Reader<T>, max = Infinity): Reader<T[]> =>
  (value, field) => {
    if (!Array.isArray(value)) return refuse(field, 'a list', value)
    if (value.length > max) throw new InputRefused(`${field} must be a list of at most ${max}: got ${value.length}.`)
    return value.map((one, i) => item(one, `${field}[${i}]`))
  }

export const orNull =
  <T>(one: Reader<T>): Reader<T | null> =>
  (value, field) =>
    value === null ? null : one(value, field)

type Optional<T> = Reader<T | undefined> & { readonly optional: true }
export const optional = <T>(one: Reader<T>): Optional<T> =>
  Object.assign((value: unknown, field: string) => (value === undefined ? undefined : one(value, field)), {
    optional: true as const,
  })

type InputShape = { readonly [key: string]: Reader<unknown> }
type OptionalKeys<S> = { [K in keyof S]: S[K] extends { readonly optional: true } ? K : never }[keyof S]
type InputOf<S extends InputShape> = { [K in Exclude<keyof S, OptionalKeys<S>>]: ReadBy<S[K]> } & {
  [K in OptionalKeys<S>]?: Exclude<ReadBy<S[K]>, undefined>
}

/** Reads an object that has these fields. Other fields of the object are ignored. */
export const object =
  <S extends InputShape>(shape: S): Reader<{ [K in keyof InputOf<S>]: InputOf<S>[K] }> =>
  (value, field) => {
    if (!isObject(value)) return refuse(field, 'a JSON object', value)
    const read: Record<string, unknown> = {}
    for (const [key, one] of Object.entries(shape)) {
      const kept = one(Object.hasOwn(value, key) ? value[key] : undefined, field === '' ? key : `${field}.${key}`)
      if (kept !== undefined) read[key] = kept
    }
    return read as InputOf<S>
  }

/** Reads an object whose `kind` says which fields it has. */
export const byKind =
  <T extends { kind: string }>(kinds: { [K in T['kind']]: Reader<Omit<Extract<T, { kind: K }>, 'kind'>> }): Reader<T> =>
  (value, field) => {
    const { kind } = object({ kind: oneOf(Object.keys(kinds) as T['kind'][]) })(value, field)
    return { kind, ...kinds[kind](value, field) } as unknown as T
  }

/** A reader for one value of a query string. If the value is absent or unreadable, the reader returns a default. */
type QueryValue<T> = (text: string | undefined) => T

/** Reads a text from a query string; undefined if it is absent or empty. */
export const words: QueryValue<string | undefined> = (text) => text || undefined
/**
 * Reads a yes or no from a query string: true for `true` or `1`, false for `false` or `0`, undefined for anything else.
 */
export const yesOrNo: QueryValue<boolean | undefined> = (text) =>
  text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined
/**
 * Reads a whole number from a query string. A number above `max` counts as `max`, and anything else gives `otherwise`.
 */
export const count =
  (max: number, otherwise: number = max): QueryValue<number> =>
  (text) =>
    text === undefined || !/^\d{1,15}$/.test(text) ? otherwise : Math.min(Number(text), max)
export const wordOf =
  <const T extends string, D extends T | undefined>(all: readonly T[], otherwise: D): QueryValue<T | D> =>
  (text) =>
    all.find((one) => one === text) ?? otherwise

type Query = { readonly [key: string]: QueryValue<unknown> }
type QueryOf<Q extends Query> = { [K in keyof Q]: ReturnType<Q[K]> }

/** Reads the query string of an address. Every value in it may be left out. */
export const query =
  <Q extends Query>(values: Q): Reader<QueryOf<Q>, { [K in keyof Q]?: ReturnType<Q[K]> | undefined }> =>
  (asked) =>
    Object.fromEntries(
      Object.entries(values).map(([key, read]) => [key, read((asked as Record<string, string | undefined>)[key])]),
    ) as QueryOf<Q>
