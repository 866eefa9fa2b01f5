/** Reads the text of a filter. Each part has its position, so that an error can point at it. */
import { isKey, type Key, keys, type Operator, type Test, type Value } from './keys.ts'
import { finds } from './words.ts'

const filterLimits = { characters: 500, terms: 20 } as const

/** A part of a text in UTF-16 units. */
interface Place {
  at: number
  length: number
}

export interface Term extends Place {
  negated: boolean
  /** The key in lower case; undefined for a word. */
  key: Key | undefined
  values: readonly Value[]
  /** True if a value has `<` or `>`. Such a term must hold, also beside others of the same key. */
  isRange: boolean
  /** True for agents that one of the values selects. The negation is not applied. */
  selects: Test
}

export interface Filter {
  text: string
  terms: readonly Term[]
}

/** The first wrong part of a text, with a sentence that says what is possible there. */
export interface FilterError extends Place {
  message: string
}

type Parsed = { ok: true; value: Filter } | ({ ok: false } & FilterError)

/** Thrown inside of this file only. */
class Wrong extends Error {
  readonly place: Place
  constructor(at: number, length: number, message: string) {
    super(message)
    this.place = { at, length }
  }
}

/** Reads a filter. It never throws. */
export function parseFilter(text: string): Parsed {
  try {
    return { ok: true, value: { text, terms: termsOf(text) } }
  } catch (e) {
    if (!(e instanceof Wrong)) throw e
    return { ok: false, ...e.place, message: e.message }
  }
}

const isSpace = (c: string | undefined) => c !== undefined && /\s/.test(c)

function termsOf(text: string): Term[] {
  const { characters, terms: max } = filterLimits
  if (text.length > characters) {
    const message = `A filter has at most ${characters} characters: this one has ${text.length}. Remove some.`
    throw new Wrong(characters, text.length - characters, message)
  }
  const terms: Term[] = []
  let at = skipSpaces(text, 0)
  while (at < text.length) {
    const term = readTerm(text, at)
    if (terms.length === max) {
      throw new Wrong(at, term.length, `A filter has at most ${max} terms. Remove this one and all behind it.`)
    }
    terms.push(term)
    at = skipSpaces(text, at + term.length)
  }
  return terms
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (isSpace(text[at])) at++
  return at
}

function readTerm(text: string, start: number): Term {
  const negated = text[start] === '-'
  const from = negated ? start + 1 : start
  const key = readKey(text, from)
  const { values, end } = key ? readValues(text, key, from + key.length + 1) : readWord(text, from)
  const tests = values.map(({ test }) => test)
  const [only] = tests
  return {
    at: start,
    length: end - start,
    negated,
    key,
    values: values.map(({ value }) => value),
    isRange: values.some(({ value: { operator } }) => operator !== undefined && operator !== '='),
    selects: tests.length === 1 && only ? only : (agent, now) => tests.some((test) => test(agent, now)),
  }
}

/** Reads the key of the term that begins at `from`; undefined if the term is a word. */
function readKey(text: string, from: number): Key | undefined {
  const end = bareEnd(text, from, ':')
  if (text[end] !== ':') return undefined
  const key = text.slice(from, end).toLowerCase()
  if (isKey(key)) return key
  const names = Object.keys(keys).map((name) => `${name}:`)
  const message = `There is no filter "${text.slice(from, end)}:". Use ${listed(names)}, or put text with a colon into quotation marks.`
  throw new Wrong(from, Math.max(1, end - from), message)
}

interface ReadValue {
  value: Value
  test: Test
}

function readWord(text: string, from: number): { values: ReadValue[]; end: number } {
  const { content, quoted, end } = readText(text, from, '')
  if (end === from) {
    throw new Wrong(from, 0, 'A word or a key must follow "-". To find a hyphen, put it into quotation marks: "-".')
  }
  endsHere(text, end, 'a space')
  const value = { operator: undefined, text: content.toLowerCase(), quoted }
  return { values: [{ value, test: finds(value.text) }], end }
}

function readValues(text: string, key: Key, from: number): { values: ReadValue[]; end: number } {
  const values: ReadValue[] = []
  let at = from
  while (true) {
    const { end, ...read } = readValue(text, key, at)
    values.push(read)
    if (text[end] !== ',') {
      endsHere(text, end, 'a space or a comma')
      return { values, end }
    }
    at = end + 1
  }
}

function readValue(text: string, key: Key, from: number): ReadValue & { end: number } {
  const { takes, compares, read } = keys[key]
  const operator = ['<=', '>=', '<', '>', '='].find((one) => text.startsWith(one, from)) as Operator | undefined
  const start = from + (operator?.length ?? 0)
  const { content, quoted, end } = readText(text, start, ',')
  if (end === start) throw new Wrong(from, end - from, `A value is missing: ${key}: takes ${takes}.`)
  if (operator !== undefined && !compares) {
    const message = `${key}: takes no ${operator}. It takes ${takes}. To find the sign, put the value into quotation marks.`
    throw new Wrong(from, end - from, message)
  }
  const value = { operator, text: content.toLowerCase(), quoted }
  const test = read(value)
  if (test) return { value, test, end }
  throw new Wrong(from, end - from, `${key}: does not take ${text.slice(from, end)}. It takes ${takes}.`)
}

/** Reads a text that begins at `from`, in quotation marks or bare. A bare one ends at `stop`, too. */
function readText(text: string, from: number, stop: string): { content: string; quoted: boolean; end: number } {
  if (text[from] !== '"') {
    const end = bareEnd(text, from, stop)
    return { content: text.slice(from, end), quoted: false, end }
  }
  let content = ''
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return { content, quoted: true, end: at + 1 }
    if (text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++
    content += text[at]
  }
  throw new Wrong(from, text.length - from, 'The closing quotation mark is missing. Add " at the end of the text.')
}

/** The end of a bare text: the next space, quotation mark, or `stop`. */
function bareEnd(text: string, from: number, stop: string): number {
  let at = from
  while (at < text.length && text[at] !== '"' && text[at] !== stop && !isSpace(text[at])) at++
  return at
}

function endsHere(text: string, at: number, what: string): void {
  if (at === text.length || isSpace(text[at])) return
  const message =
    text[at] === '"'
      ? `A quotation mark can only begin or end a text. Put ${what} before it, or write it as \\" inside of quotation marks.`
      : `${what[0]?.toUpperCase()}${what.slice(1)} must follow the closing quotation mark.`
  throw new Wrong(at, 1, message)
}

const listed = (all: readonly string[]): string => `${all.slice(0, -1).join(' ')} or ${all.at(-1)}`
