/** Reads the text of a filter. Each part has its position, so that an error can point at it. */
import { hiddenCharacterIn } from '@svc/protocol'
import type { CompareOperator } from './compare.ts'
import { type FilterKey, type FilterValue, filterKeys, isFilterKey } from './keys.ts'
import { foldedText, hiddenMark, plainText } from './look.ts'

/** The limits of a filter. Values with a star between texts (`pieced`) take the most time to compare. */
const filterLimits = { characters: 500, terms: 20, pieced: 20 } as const

/** The number of values as which a pieced value for tags counts, because it is compared with each tag of an agent. */
const tagWeight = 4

/** A part of a text in UTF-16 units. */
interface TextRange {
  at: number
  length: number
}

/** A term of a filter: a word, or a key with its values. */
export interface FilterTerm extends TextRange {
  negated: boolean
  /** The key in lower case; undefined for a word. */
  key: FilterKey | undefined
  values: readonly FilterValue[]
  /** True if a value has `<` or `>`. Such a term must hold even if other terms have the same key. */
  isRange: boolean
}

/** A filter that was read. */
export interface Filter {
  text: string
  terms: readonly FilterTerm[]
}

/** The first wrong part of a text. `message` says what is possible there. */
export interface FilterError extends TextRange {
  message: string
}

type ParsedFilter = { ok: true; value: Filter } | ({ ok: false } & FilterError)

/** A mistake in the text of a filter. `parseFilter` catches it. */
class MistakeError extends Error {
  readonly place: TextRange
  constructor(at: number, length: number, message: string) {
    super(message)
    this.place = { at, length }
  }
}

/** Reads a filter. It never throws. */
export function parseFilter(text: string): ParsedFilter {
  try {
    return { ok: true, value: { text, terms: termsOf(text) } }
  } catch (e) {
    if (!(e instanceof MistakeError)) throw e
    return { ok: false, ...e.place, message: e.message }
  }
}

const isSpace = (c: string | undefined) => c !== undefined && (c === ' ' || /\s/.test(c))

/** The terms of a text. Similar characters (look.ts) have the meaning of the plain ones. */
function termsOf(typed: string): FilterTerm[] {
  const { characters, terms: max, pieced } = filterLimits
  const text = withoutUnseen(typed, plainText(typed))
  if (text.length > characters) {
    const message = `A filter has at most ${characters} characters: this one has ${text.length}. Remove some.`
    throw new MistakeError(characters, text.length - characters, message)
  }
  const terms: FilterTerm[] = []
  let at = skipSpaces(text, 0)
  while (at < text.length) {
    const term = readTerm(text, at)
    if (terms.length === max) {
      throw new MistakeError(at, term.length, `A filter has at most ${max} terms. Remove this one and all behind it.`)
    }
    terms.push(term)
    at = skipSpaces(text, at + term.length)
  }
  const weights = terms.map(({ key, values }) => values.filter(isPieced).length * (key === 'tag' ? tagWeight : 1))
  const last = terms.findLast((_, i) => (weights[i] ?? 0) > 0)
  if (last && weights.reduce((a, b) => a + b) > pieced)
    throw new MistakeError(
      last.at,
      last.length,
      `A filter has at most ${pieced} values with a star between texts, and ${pieced / tagWeight} of tags. Remove some.`,
    )
  return terms
}

/** True for a value of several texts with stars between them. */
const isPieced = ({ text, quoted }: FilterValue): boolean =>
  !quoted && text.split('*').filter((piece) => piece !== '').length > 1

/**
 * Removes invisible characters around terms, and refuses them inside terms. `text` has plain characters (look.ts) in
 * the same positions as `typed`.
 */
function withoutUnseen(typed: string, text: string): string {
  const inside = /(?<=[^\s\u200b])\u200b+(?=[^\s\u200b])/.exec(text)
  if (!inside) return text.replaceAll(hiddenMark, ' ')
  const start = text.slice(0, inside.index).search(/\S+$/)
  const wrong = hiddenCharacterIn(typed.slice(start, inside.index + inside[0].length))
  throw new MistakeError(inside.index, inside[0].length, `The filter ${wrong}. Type that part instead of pasting it.`)
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (isSpace(text[at])) at++
  return at
}

function readTerm(text: string, start: number): FilterTerm {
  const negated = text[start] === '-'
  const from = negated ? start + 1 : start
  const key = readKey(text, from)
  const { values, end } = key ? readValues(text, key, from + key.length + 1) : readWord(text, from)
  return {
    at: start,
    length: end - start,
    negated,
    key,
    values,
    isRange: values.some(({ operator }) => operator !== undefined && operator !== '='),
  }
}

/** Reads the key of the term that begins at `from`; undefined if the term is a word. */
function readKey(text: string, from: number): FilterKey | undefined {
  const end = bareTextEnd(text, from, ':')
  if (text[end] !== ':') return undefined
  const key = text.slice(from, end).toLowerCase()
  if (isFilterKey(key)) return key
  const names = Object.keys(filterKeys).map((name) => `${name}:`)
  const message = `There is no filter "${text.slice(from, end)}:". Use ${listText(names)}, or put text with a colon into quotation marks.`
  throw new MistakeError(from, Math.max(1, end - from), message)
}

function readWord(text: string, from: number): { values: FilterValue[]; end: number } {
  const { content, quoted, end } = readText(text, from, '')
  if (end === from) {
    throw new MistakeError(
      from,
      0,
      'A word or a key must follow "-". To find a hyphen, put it into quotation marks: "-".',
    )
  }
  endsHere(text, end, 'a space')
  return { values: [{ operator: undefined, text: foldedText(content), quoted }], end }
}

function readValues(text: string, key: FilterKey, from: number): { values: FilterValue[]; end: number } {
  const values: FilterValue[] = []
  let at = from
  while (true) {
    const { end, value } = readValue(text, key, at)
    values.push(value)
    if (text[end] !== ',') {
      endsHere(text, end, 'a space or a comma')
      return { values, end }
    }
    at = end + 1
  }
}

function readValue(text: string, key: FilterKey, from: number): { value: FilterValue; end: number } {
  const { takes, compares, field, read } = filterKeys[key]
  const [sign = '', operator] = operators.find(([one]) => text.startsWith(one, from)) ?? []
  const start = from + sign.length
  const { content, quoted, end } = readText(text, start, ',')
  if (end === start) throw new MistakeError(from, end - from, `A value is missing: ${key}: takes ${takes}.`)
  if (operator !== undefined && !compares) {
    const message = `${key}: takes no ${operator}. It takes ${takes}. To find the sign, put the value into quotation marks.`
    throw new MistakeError(from, end - from, message)
  }
  const value = { operator, text: foldedText(content), quoted }
  if ((field !== undefined && operator === undefined) || read?.([value])) return { value, end }
  throw new MistakeError(from, end - from, `${key}: does not take ${text.slice(from, end)}. It takes ${takes}.`)
}

/** The operators as people type them, the longest first. */
const operators: readonly (readonly [sign: string, operator: CompareOperator])[] = [
  ...(['<=', '>=', '<', '>', '='] as const).map((sign) => [sign, sign] as const),
  ...[...'≤⩽≦'].map((sign) => [sign, '<='] as const),
  ...[...'≥⩾≧'].map((sign) => [sign, '>='] as const),
]

/** Reads a text that begins at `from`, in quotation marks or bare. A bare text also ends at the character `stop`. */
function readText(text: string, from: number, stop: string): { content: string; quoted: boolean; end: number } {
  const single = singleQuotedEnd(text, from, stop)
  if (single !== undefined) return { content: text.slice(from + 1, single - 1), quoted: true, end: single }
  if (text[from] !== '"') {
    const end = bareTextEnd(text, from, stop)
    return { content: text.slice(from, end), quoted: false, end }
  }
  let content = ''
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return { content, quoted: true, end: at + 1 }
    if (text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++
    content += text[at]
  }
  throw new MistakeError(
    from,
    text.length - from,
    'The closing quotation mark is missing. Add " at the end of the text.',
  )
}

/**
 * The end of a text in single quotation marks; undefined if none begins at `from`. A mark that is not closed, as in
 * `'tis`, counts as an ordinary character.
 */
function singleQuotedEnd(text: string, from: number, stop: string): number | undefined {
  if (text[from] !== "'") return undefined
  for (let at = text.indexOf("'", from + 1); at > from + 1; at = text.indexOf("'", at + 1)) {
    if (at + 1 === text.length || isSpace(text[at + 1]) || text[at + 1] === stop) return at + 1
  }
  return undefined
}

/** The end of a bare text: the next space, quotation mark or `stop`, or the end of the whole text. */
function bareTextEnd(text: string, from: number, stop: string): number {
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
  throw new MistakeError(at, 1, message)
}

const listText = (all: readonly string[]): string => `${all.slice(0, -1).join(' ')} or ${all.at(-1)}`
