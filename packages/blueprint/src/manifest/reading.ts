/**
 * Readers for the fields of a manifest. Each reader takes a YAML value and returns a typed value, or records what is
 * wrong and where.
 */
import { clean } from '@svc/protocol'

/**
 * Something that is wrong in the manifest. Line and column count from 1; `path` is like `settings[0].default`, and
 * empty for the whole manifest.
 */
export interface ManifestFinding {
  readonly line: number
  readonly column: number
  readonly path: string
  readonly message: string
}

/**
 * A YAML value as the manifest has it; `at` is its offset in the text. Only a scalar without quotes (`plain`) can be
 * read as a number or a boolean.
 */
export type YamlValue =
  | { readonly is: 'scalar'; readonly at: number; readonly text: string; readonly plain: boolean }
  | { readonly is: 'list'; readonly at: number; readonly items: readonly YamlValue[] }
  | { readonly is: 'map'; readonly at: number; readonly entries: readonly YamlEntry[] }
interface YamlEntry {
  readonly key: string
  readonly at: number
  readonly value: YamlValue
}

/** The state of reading one manifest, which collects the findings. */
export interface ReadContext {
  readonly findings: ManifestFinding[]
  readonly place: (offset: number) => { line: number; column: number }
}

/** A function that reads a YAML value. If it returns undefined, it has recorded a finding. */
export type YamlReader<T> = (value: YamlValue, path: string, reading: ReadContext) => T | undefined
type Shape = { readonly [key: string]: YamlReader<unknown> }
type ReadValue<R> = R extends YamlReader<infer T> ? T : never
type Flattened<T> = { [K in keyof T]: T[K] } & {}
export type ObjectOf<S extends Shape, R extends keyof S> = Flattened<
  { [K in R]: ReadValue<S[K]> } & { [K in Exclude<keyof S, R>]?: ReadValue<S[K]> }
>

export function addFinding(reading: ReadContext, at: number, path: string, message: string): undefined {
  reading.findings.push({ ...reading.place(at), path, message })
}

/** The findings in the order of their positions. */
export const sortedFindings = (findings: readonly ManifestFinding[]): ManifestFinding[] =>
  [...findings].sort((a, b) => a.line - b.line || a.column - b.column)

/** Reads a text of at most `max` code points. `wrong` returns what is wrong with the text, if anything. */
export const text =
  (max: number, wrong?: (text: string) => string | undefined): YamlReader<string> =>
  (v, path, reading) => {
    const scalar = scalarOf(v, path, reading, 'a text')
    if (!scalar) return undefined
    if (scalar.text === '') return addFinding(reading, v.at, path, `${lastKeyOf(path)} must not be empty.`)
    if ([...scalar.text].length > max) {
      return addFinding(
        reading,
        v.at,
        path,
        `${lastKeyOf(path)} must be at most ${max} characters: got ${[...scalar.text].length}.`,
      )
    }
    if (clean(scalar.text) !== scalar.text) {
      return addFinding(reading, v.at, path, `${lastKeyOf(path)} must not hold control characters.`)
    }
    const problem = wrong?.(scalar.text)
    return problem === undefined
      ? scalar.text
      : addFinding(reading, v.at, path, `${lastKeyOf(path)} ${problem}: got ${quote(scalar.text)}.`)
  }

/**
 * The spellings of numbers that are accepted (D47). `014`, `0o14`, `1e3`, `1:30` and `.5` mean different numbers to
 * different YAML readers, so they are read as texts.
 */
const decimalPattern = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/
export const plainNumber = (v: YamlValue): number | undefined =>
  v.is === 'scalar' && v.plain && decimalPattern.test(v.text) ? Number(v.text) : undefined
/** Reads a boolean. Only the words `true` and `false` are booleans (D47); `yes`, `on` and `True` are texts. */
export const plainBoolean = (v: YamlValue): boolean | undefined =>
  v.is === 'scalar' && v.plain && (v.text === 'true' || v.text === 'false') ? v.text === 'true' : undefined

export const number =
  (min = -Infinity, max = Infinity): YamlReader<number> =>
  (v, path, reading) => {
    const scalar = scalarOf(v, path, reading, 'a number')
    if (!scalar) return undefined
    const n = plainNumber(v)
    if (n === undefined) {
      return addFinding(
        reading,
        v.at,
        path,
        `${lastKeyOf(path)} must be a number written like 10 or 0.5: got ${quote(scalar.text)}.`,
      )
    }
    if (n < min || n > max) {
      return addFinding(reading, v.at, path, `${lastKeyOf(path)} must be between ${min} and ${max}: got ${n}.`)
    }
    return n
  }

export const boolean: YamlReader<boolean> = (v, path, reading) => {
  const scalar = scalarOf(v, path, reading, 'true or false')
  if (!scalar) return undefined
  return (
    plainBoolean(v) ??
    addFinding(reading, v.at, path, `${lastKeyOf(path)} must be true or false: got ${quote(scalar.text)}.`)
  )
}

export const oneOf =
  <const T extends string>(words: readonly T[]): YamlReader<T> =>
  (v, path, reading) => {
    const scalar = scalarOf(v, path, reading, `one of ${words.join(', ')}`)
    if (!scalar) return undefined
    const word = words.find((w) => w === scalar.text)
    return (
      word ??
      addFinding(
        reading,
        v.at,
        path,
        `${lastKeyOf(path)} must be one of ${words.join(', ')}: got ${quote(scalar.text)}.`,
      )
    )
  }

/** Reads a list of at most `max` items. If `key` is given, no two items may have the same key. */
export const list =
  <T>(item: YamlReader<T>, max: number, key?: (item: T) => string): YamlReader<T[]> =>
  (v, path, reading) => {
    if (v.is !== 'list') return addFinding(reading, v.at, path, `${lastKeyOf(path)} must be a list.`)
    if (v.items.length > max) {
      return addFinding(
        reading,
        v.at,
        path,
        `${lastKeyOf(path)} must have at most ${max} items: got ${v.items.length}.`,
      )
    }
    const seen = new Set<string>()
    let whole = true
    const kept = v.items.flatMap((entry, i) => {
      const read = item(entry, `${path}[${i}]`, reading)
      if (read === undefined) {
        whole = false
        return []
      }
      const id = key?.(read)
      if (id !== undefined && seen.has(id)) {
        whole = false
        addFinding(reading, entry.at, `${path}[${i}]`, `${lastKeyOf(path)} names ${quote(id)} a second time.`)
      }
      if (id !== undefined) seen.add(id)
      return [read]
    })
    return whole ? kept : undefined
  }

/**
 * Reads a map that may have only the keys of `shape`. The whole map is invalid if it has another key, if a `required`
 * key is missing, or if a value is invalid.
 */
export const object =
  <S extends Shape, R extends keyof S & string = never>(shape: S, ...required: R[]): YamlReader<ObjectOf<S, R>> =>
  (v, path, reading) => {
    if (v.is !== 'map') return addFinding(reading, v.at, path, `${lastKeyOf(path)} must be keys and values.`)
    const kept: Record<string, unknown> = {}
    let whole = true
    for (const { key, at, value } of v.entries) {
      const below = path === '' ? key : `${path}.${key}`
      const read = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!read) {
        whole = false
        addFinding(reading, at, below, unknownKey(key, Object.keys(shape)))
        continue
      }
      const got = read(value, below, reading)
      if (got === undefined) whole = false
      else kept[key] = got
    }
    for (const key of required) {
      if (v.entries.some((entry) => entry.key === key)) continue
      whole = false
      addFinding(reading, v.at, path === '' ? key : `${path}.${key}`, `${lastKeyOf(path)} must name "${key}".`)
    }
    return whole ? (kept as ObjectOf<S, R>) : undefined
  }

/** Adds a check of the whole value to a reader. `wrong` returns the path of the part that is wrong, and a message. */
export const withCheck =
  <T>(read: YamlReader<T>, wrong: (value: T) => { path: string; message: string } | undefined): YamlReader<T> =>
  (v, path, reading) => {
    const got = read(v, path, reading)
    const problem = got === undefined ? undefined : wrong(got)
    if (!problem) return got
    const at = v.is === 'map' ? (v.entries.find((e) => e.key === problem.path)?.value.at ?? v.at) : v.at
    return addFinding(reading, at, problem.path === '' ? path : `${path}.${problem.path}`, problem.message)
  }

function scalarOf(v: YamlValue, path: string, reading: ReadContext, wanted: string): { text: string } | undefined {
  if (v.is !== 'scalar') return addFinding(reading, v.at, path, `${lastKeyOf(path)} must be ${wanted}.`)
  if (v.plain && v.text === '')
    return addFinding(reading, v.at, path, `${lastKeyOf(path)} has no value; it must be ${wanted}.`)
  return v
}

export const quote = (text: string): string => {
  const shown = clean(text)
  return JSON.stringify(shown.length > 60 ? `${shown.slice(0, 57)}...` : shown)
}
const lastKeyOf = (path: string): string => (path === '' ? 'The manifest' : (path.split('.').at(-1) ?? path))

function unknownKey(key: string, known: readonly string[]): string {
  if (key === '<<') return 'Merge keys are not allowed in a manifest.'
  const near = known.find((k) => k.toLowerCase() === key.toLowerCase() || distance(k, key) <= 2)
  return `There is no key ${quote(key)} here${near ? `; did you mean "${near}"?` : `; known are ${known.join(', ')}.`}`
}

/**
 * The edit distance between two short words, used to guess which key a typo meant. If the lengths of the words differ
 * by more than 2, the result is 3.
 */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 3
}
