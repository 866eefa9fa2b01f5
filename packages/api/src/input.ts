/**
 * Readers for the input of requests. A JSON body is read strictly, and a refusal names the wrong field. Most values of
 * a query string get a default if they cannot be read.
 */
import { clean, cleanText, cut, isObject, readPasted, shown, trimInvisible } from '@svc/protocol'

/** A request that cannot be understood. The message says which field is wrong and what is accepted. */
export class InputRefused extends Error {
  readonly code: string
  constructor(message: string, code = 'body_invalid') {
    super(message)
    this.code = code
  }
}

/**
 * A function that reads one field of a request. It returns the value, or throws InputRefused with a message about
 * `field`, the name of the field. `Sent` is the type that a caller may send.
 */
export interface Reader<Read, Sent = Read> {
  (value: unknown, field: string): Read
  /** The form of the input that the reader accepts, with its bounds. Tests make input for every operation from it. */
  readonly form: InputForm
  /** This property is never set. It only tells the compiler the type `Sent`. */
  readonly sent?: Sent
}

/**
 * The form of the input that a reader accepts, with its bounds. The kind of a text is `identifier` (see `pasted`),
 * `prose`, `judged` (see `text`), `sought` for search words, or `exact` (see `reportedText`).
 */
export type InputForm =
  | {
      readonly is: 'text'
      readonly kind: 'identifier' | 'prose' | 'judged' | 'sought' | 'exact'
      readonly max: number
    }
  | { readonly is: 'list'; readonly of: InputForm; readonly max: number }
  | { readonly is: 'object'; readonly fields: Readonly<Record<string, InputForm>> }
  | { readonly is: 'kinds'; readonly by: string; readonly kinds: Readonly<Record<string, InputForm>> }
  | { readonly is: 'words'; readonly words: readonly string[] }
  | { readonly is: 'query'; readonly fields: Readonly<Record<string, InputForm>> }
  | { readonly is: 'number' | 'flag' | 'settings' }

/** Makes a reader from a function and the form of the input that the function accepts. */
export const reader = <Read, Sent = Read>(
  form: InputForm,
  read: (value: unknown, field: string) => Read,
): Reader<Read, Sent> => Object.assign((value: unknown, field: string) => read(value, field), { form })

type ReadBy<R> = R extends Reader<infer T, infer _> ? T : never

function refuse(field: string, accepts: string, value: unknown): never {
  const name = field === '' ? 'The body' : field
  throw new InputRefused(
    `${name} must be ${accepts}: ${value === undefined ? 'it is missing' : `got ${shown(value)}`}.`,
  )
}

/**
 * Reads a text of at most `max` UTF-16 code units without any change. It is only for texts that the operation checks
 * before it stores them, such as addresses, or never stores, such as passwords.
 */
export const text = (max: number): Reader<string> =>
  reader({ is: 'text', kind: 'judged', max }, (value, field) => textOf(value, field, max))

function textOf(value: unknown, field: string, max: number): string {
  if (typeof value !== 'string') return refuse(field, 'a text', value)
  return value.length <= max ? value : refuse(field, `a text of at most ${max} characters`, value)
}

/**
 * The maximum length of an identifier that has no smaller limit of its own. It is much longer than any name, because
 * the operation itself refuses a name that is too long.
 */
const maxIdentifier = 1000
/** The maximum number of removed characters at the ends of an identifier. They do not count for its length. */
const maxEnds = 100

/**
 * Reads an identifier that people paste, of at most `max` UTF-16 code units. Characters that nobody sees are removed at
 * its ends and refused inside, and letters are brought to NFC. A refusal about a secret does not repeat it.
 */
export const pasted = ({
  max = maxIdentifier,
  secret = false,
  reported = false,
}: {
  max?: number
  secret?: boolean
  /** If true, the text is not brought to NFC, because it must be equal to a name that an agent reported. */
  reported?: boolean
} = {}): Reader<string> =>
  reader({ is: 'text', kind: 'identifier', max }, (value, field) => {
    const read = readPasted(field, textOf(value, field, max + maxEnds), { secret })
    if (!read.ok) throw new InputRefused(read.message)
    return textOf(reported ? read.value : read.value.normalize('NFC'), field, max)
  })

/** Reads a text for people, perhaps of several lines, of at most `max` UTF-16 code units, and cleans it (D13). */
export const prose = (max: number): Reader<string> =>
  reader({ is: 'text', kind: 'prose', max }, (value, field) => cleanText(textOf(value, field, max)))

/** Reads a finite number. */
export const number: Reader<number> = reader({ is: 'number' }, (value, field) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse(field, 'a number', value),
)

/** Reads a whole number within these bounds. */
export const whole = (min: number, max: number): Reader<number> =>
  reader({ is: 'number' }, (value, field) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : refuse(field, `a whole number from ${min} to ${max}`, value),
  )

/** Reads `true` or `false`. */
export const flag: Reader<boolean> = reader({ is: 'flag' }, (value, field) =>
  typeof value === 'boolean' ? value : refuse(field, 'true or false', value),
)

/** Reads one of `words`. */
export const oneOf = <const T extends string>(words: readonly T[]): Reader<T> =>
  reader({ is: 'words', words }, (value, field) =>
    (words as readonly unknown[]).includes(value)
      ? (value as T)
      : refuse(field, `one of ${words.map((word) => `"${word}"`).join(', ')}`, value),
  )

/** Reads a list of at most `max` items, each with the reader `item`. */
export const list = <T>(item: Reader<T>, max: number): Reader<T[]> =>
  reader({ is: 'list', of: item.form, max }, (value, field) => {
    if (!Array.isArray(value)) return refuse(field, 'a list', value)
    if (value.length > max) throw new InputRefused(`${field} must be a list of at most ${max}: got ${value.length}.`)
    return value.map((one, i) => item(one, `${field}[${i}]`))
  })

/** Reads a value with the reader `one`, or null. */
export const orNull = <T>(one: Reader<T>): Reader<T | null> =>
  reader(one.form, (value, field) => (value === null ? null : one(value, field)))

type Optional<T> = Reader<T | undefined> & { readonly optional: true }
/** Reads a field of an object with the reader `one`; undefined if the object does not have the field. */
export const optional = <T>(one: Reader<T>): Optional<T> =>
  Object.assign(
    reader(one.form, (value, field) => (value === undefined ? undefined : one(value, field))),
    {
      optional: true as const,
    },
  )

type InputShape = { readonly [key: string]: Reader<unknown> }
type OptionalKeys<S> = { [K in keyof S]: S[K] extends { readonly optional: true } ? K : never }[keyof S]
type InputOf<S extends InputShape> = { [K in Exclude<keyof S, OptionalKeys<S>>]: ReadBy<S[K]> } & {
  [K in OptionalKeys<S>]?: Exclude<ReadBy<S[K]>, undefined>
}

const formsOf = (readers: Readonly<Record<string, { readonly form: InputForm }>>): Record<string, InputForm> =>
  Object.fromEntries(Object.entries(readers).map(([key, { form }]) => [key, form]))

/** The `field` of an object that has the options of a command: `fieldOf` then names an option as people type it. */
export const optionsField = '--'

/** The name in messages of the field `key` of the object `field`, such as `field.key`, or `--key` for an option. */
export const fieldOf = (field: string, key: string): string =>
  field === '' || field === optionsField ? `${field}${key}` : `${field}.${key}`

/** Reads an object that has these fields. Other fields of the object are ignored. */
export const object = <S extends InputShape>(shape: S): Reader<{ [K in keyof InputOf<S>]: InputOf<S>[K] }> =>
  reader({ is: 'object', fields: formsOf(shape) }, (value, field) => {
    if (!isObject(value)) return refuse(field, 'a JSON object', value)
    const read: Record<string, unknown> = {}
    for (const [key, one] of Object.entries(shape)) {
      const kept = one(Object.hasOwn(value, key) ? value[key] : undefined, fieldOf(field, key))
      if (kept !== undefined) read[key] = kept
    }
    return read as InputOf<S>
  })

/** Reads an object whose `kind` says which fields it has. */
export const byKind = <T extends { kind: string }>(
  kinds: {
    [K in T['kind']]: Reader<Omit<Extract<T, { kind: K }>, 'kind'>>
  },
): Reader<T> =>
  reader({ is: 'kinds', by: 'kind', kinds: formsOf(kinds as InputShape) }, (value, field) => {
    const { kind } = object({ kind: oneOf(Object.keys(kinds) as T['kind'][]) })(value, field)
    return { kind, ...kinds[kind](value, field) } as unknown as T
  })

/** A reader for one value of a query string; `field` is its name. Most readers return a default instead of refusing. */
interface QueryValue<T> {
  (text: string | undefined, field: string): T
  readonly form: InputForm
}

const queryValue = <T>(form: InputForm, read: (text: string | undefined, field: string) => T): QueryValue<T> =>
  Object.assign((text: string | undefined, field: string) => read(text, field), { form })

/** The maximum length of a text in a query string. A longer one is cut. */
const maxWords = 2000

/** Reads search words from a query string, cleaned and cut; undefined if there are none. */
export const words: QueryValue<string | undefined> = queryValue(
  { is: 'text', kind: 'sought', max: maxWords },
  (text) => cut(clean(trimInvisible(text ?? '')), maxWords) || undefined,
)
/**
 * Reads from a query string a text that is compared exactly with texts that agents reported. It is cleaned and cut;
 * undefined if it is absent or empty.
 */
export const reportedText: QueryValue<string | undefined> = queryValue(
  { is: 'text', kind: 'exact', max: maxWords },
  (text) => cut(clean(text ?? ''), maxWords) || undefined,
)
/** Reads an identifier from a query string, as `pasted` does; undefined if it is absent or empty. */
export const pastedWord: QueryValue<string | undefined> = queryValue(
  { is: 'text', kind: 'identifier', max: maxWords },
  (text, field) => pasted({ max: maxWords })(cut(text ?? '', maxWords), field) || undefined,
)
/**
 * Reads a yes or no from a query string: true for `true` or `1`, false for `false` or `0`, undefined for anything else.
 */
export const yesOrNo: QueryValue<boolean | undefined> = queryValue({ is: 'flag' }, (text = '') => {
  const said = trimInvisible(text)
  return said === 'true' || said === '1' ? true : said === 'false' || said === '0' ? false : undefined
})
/**
 * Reads a whole number from a query string. A number above `max` counts as `max`. Anything else, and a number of more
 * than 15 digits, gives `otherwise`.
 */
export const count = (max: number, otherwise: number = max): QueryValue<number> =>
  queryValue({ is: 'number' }, (text = '') => {
    const said = trimInvisible(text)
    return /^\d{1,15}$/.test(said) ? Math.min(Number(said), max) : otherwise
  })
/** Reads one of the words `all` from a query string; `otherwise` for any other text. */
export const wordOf = <const T extends string, D extends T | undefined>(
  all: readonly T[],
  otherwise: D,
): QueryValue<T | D> =>
  queryValue({ is: 'words', words: all }, (text = '') => {
    const said = trimInvisible(text)
    return all.find((one) => one === said) ?? otherwise
  })

type Query = { readonly [key: string]: QueryValue<unknown> }
type QueryOf<Q extends Query> = { [K in keyof Q]: ReturnType<Q[K]> }

/** Reads the query string of an address. Every value in it may be left out. */
export const query = <Q extends Query>(
  values: Q,
): Reader<QueryOf<Q>, { [K in keyof Q]?: ReturnType<Q[K]> | undefined }> =>
  reader(
    { is: 'query', fields: formsOf(values) },
    (asked) =>
      Object.fromEntries(
        Object.entries(values).map(([key, read]) => [
          key,
          read((asked as Record<string, string | undefined>)[key], key),
        ]),
      ) as QueryOf<Q>,
  )

/**
 * Reads the query string of an address strictly: a value that a reader does not accept is refused. Each value is first
 * read as `pasted` does.
 */
export const strictQuery = <S extends InputShape>(
  shape: S,
): Reader<{ [K in keyof InputOf<S>]: InputOf<S>[K] }, { [K in OptionalKeys<S>]?: string | undefined }> =>
  reader({ is: 'query', fields: formsOf(shape) }, (asked, field) =>
    object(shape)(pastedValues(asked, shape, field), field),
  )

const pastedValues = (asked: unknown, shape: InputShape, field: string): unknown =>
  isObject(asked)
    ? Object.fromEntries(
        Object.entries(asked)
          .filter(([key]) => Object.hasOwn(shape, key))
          .map(([key, value]) => [key, typeof value === 'string' ? pasted()(value, fieldOf(field, key)) : value]),
      )
    : asked
