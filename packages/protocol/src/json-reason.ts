/** Explains to a person what is wrong with a JSON text (RFC 8259), and where. */
import { cut } from './text.ts'
import { codePoint, positionText } from './text-file.ts'

/**
 * Returns the reason why a text is not JSON, as the end of a sentence, such as
 * `NaN at line 1, column 45 (JSON has no NaN; write null)`; undefined for valid JSON.
 */
export function whyNotJson(text: string): string | undefined {
  const fault = jsonFaultAt(text)
  if (fault === undefined) return undefined
  if (text.trim() === '') return 'it is empty'
  if (fault === text.length) return `it ends too early, at ${positionText(text, fault)}`
  const { at, says, hint } = wrongAt(text, fault)
  return `${says} at ${positionText(text, at)}${hint === undefined ? '' : ` (${hint})`}`
}

interface JsonMistake {
  readonly at: number
  readonly says: string
  readonly hint?: string
}

/** Words of other languages that are not JSON, each with a hint. */
const words: Readonly<Record<string, string>> = {
  NaN: 'JSON has no NaN; write null',
  Infinity: 'JSON has no Infinity; write null',
  '-Infinity': 'JSON has no Infinity; write null',
  nan: 'JSON has no NaN; write null',
  inf: 'JSON has no Infinity; write null',
  '-inf': 'JSON has no Infinity; write null',
  None: 'write null',
  nil: 'write null',
  undefined: 'write null',
  True: 'write true',
  False: 'write false',
}

function wrongAt(text: string, fault: number): JsonMistake {
  return wrongInside(text, fault) ?? wrongWord(text, fault) ?? wrongCharacter(text, fault)
}

/** Finds a mistake inside a text in quotes. */
function wrongInside(text: string, at: number): JsonMistake | undefined {
  const char = text[at] as string
  const escaping = /\\(?:u[0-9a-f]{0,3})?$/i.exec(text.slice(Math.max(0, at - 5), at))?.[0]
  if (escaping !== undefined)
    return { at: at - escaping.length, says: 'an escape that JSON does not know', hint: 'a backslash is written \\\\' }
  if (char >= ' ') return undefined
  if (char === '\n' || char === '\r') return { at, says: 'a line break inside a text', hint: 'write \\n' }
  if (char === '\t') return { at, says: 'a tab inside a text', hint: 'write \\t' }
  return { at, says: `the control character ${codePoint(char)}` }
}

/** Finds a mistake in a word without quotes, such as NaN, True, or a key. */
function wrongWord(text: string, fault: number): JsonMistake | undefined {
  const begun = /-?[A-Za-z_$]*$/.exec(text.slice(Math.max(0, fault - 20), fault))?.[0] ?? ''
  const at = fault - begun.length
  const word = /^-?[A-Za-z_$][\w$]*/.exec(text.slice(at, at + 100))?.[0]
  if (word === undefined) return undefined
  if (Object.hasOwn(words, word)) return { at, says: word, hint: words[word] as string }
  if (at > 0 && jsonFaultAt(text.slice(0, at)) === undefined) return afterEnd(at)
  if (/[\d.]/.test(text[at - 1] ?? '')) return wrongNumber(at)
  const before = lastChar(text, at)
  const lower = word.toLowerCase()
  if (['true', 'false', 'null'].includes(lower) && lower !== word) return { at, says: word, hint: `write ${lower}` }
  const isKey = /^\s*:/.test(text.slice(at + word.length)) && (before.char === '{' || before.char === ',')
  const hint = isKey ? 'a key is written in double quotes' : 'a text is written in double quotes'
  return { at, says: `the word ${cut(word, 20)}`, hint }
}

const wrongCharacters: Readonly<Record<string, Omit<JsonMistake, 'at'>>> = {
  "'": { says: 'a single quote', hint: 'JSON uses double quotes' },
  '`': { says: 'a backquote', hint: 'JSON uses double quotes' },
  '“': { says: 'a typographic quote', hint: 'JSON uses the plain "' },
  '”': { says: 'a typographic quote', hint: 'JSON uses the plain "' },
  '„': { says: 'a typographic quote', hint: 'JSON uses the plain "' },
  '‘': { says: 'a typographic quote', hint: 'JSON uses the plain "' },
  '’': { says: 'a typographic quote', hint: 'JSON uses the plain "' },
  '/': { says: 'a slash', hint: 'JSON has no comments' },
  '#': { says: 'a comment', hint: 'JSON has no comments' },
  '+': { says: 'a plus sign', hint: 'a number is written without it' },
}

function wrongCharacter(text: string, at: number): JsonMistake {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
  const before = lastChar(text, at)
  const sign = Object.hasOwn(wrongCharacters, char) ? wrongCharacters[char] : undefined
  if (sign) return { at, ...sign }
  if (before.char === ',' && (char === '}' || char === ']' || char === ','))
    return { at: before.at, says: 'a comma too many' }
  if (char === ',' && (before.char === '{' || before.char === '[' || before.char === ':'))
    return { at, says: 'a comma without a value before it' }
  if (text[at - 1] === '.' || char === '.' || (/\d/.test(char) && /[\d.]/.test(text[at - 1] ?? '')))
    return wrongNumber(at)
  if (/[\p{C}\p{Z}\ufeff]/u.test(char)) return { at, says: `the invisible character ${codePoint(char)}` }
  if (jsonFaultAt(text.slice(0, at)) === undefined) return afterEnd(at)
  if (/["\d[{-]/.test(char) && /["\w}\]]/.test(before.char)) return { at, says: missingBetween(text, before.at) }
  return { at, says: `an unexpected ${char}` }
}

const afterEnd = (at: number): JsonMistake => ({ at, says: 'more text after the end of the JSON' })
const wrongNumber = (at: number): JsonMistake => ({
  at,
  says: 'a number that is not written as in JSON',
  hint: 'such as 0.5, 12 or 1e3',
})

/**
 * Says what is missing after the character at `end`: a colon if one would be valid there, as after a key, and otherwise
 * a comma.
 */
const missingBetween = (text: string, end: number): string =>
  jsonFaultAt(`${text.slice(0, end + 1)}:`) === end + 2 ? 'a colon is missing' : 'a comma is missing'

/** The last character before `at` that is not white space, and its index. */
function lastChar(text: string, at: number): { char: string; at: number } {
  let i = at - 1
  while (i > 0 && /\s/.test(text[i] as string)) i--
  return { at: i, char: text[i] ?? '' }
}

interface RepeatedKey {
  readonly key: string
  /** The lines in which the key occurs, counted from 1. */
  readonly lines: readonly number[]
}

/**
 * Finds keys that occur more than once in the same object. `JSON.parse` would silently keep only the last value. The
 * text must be valid JSON.
 */
export function repeatedKeys(text: string): RepeatedKey[] {
  const found: RepeatedKey[] = []
  const open: Map<string, number[]>[] = []
  let line = 1
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:\n]/g)) {
    if (token === '\n') line++
    else if (token === '{' || token === '[') open.push(new Map())
    else if (token === '}' || token === ']') {
      const keys = open.pop() ?? new Map<string, number[]>()
      found.push(...[...keys].flatMap(([key, lines]) => (lines.length > 1 ? [{ key, lines }] : [])))
    } else if (token === ':') {
      const key = JSON.parse(last) as string
      const keys = open.at(-1)
      keys?.set(key, [...(keys.get(key) ?? []), line])
    } else last = token
  }
  return found
}

// Finds the position at which a text stops being JSON (RFC 8259), for error messages. `JSON.parse` does not always
// report the position.

type ExpectedToken = 'value' | 'item or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

/**
 * Returns the index of the first character that is a syntax error; the length of the text if the text ends too early;
 * undefined for valid JSON.
 */
export function jsonFaultAt(text: string): number | undefined {
  const open: ('{' | '[')[] = []
  let expected: ExpectedToken = 'value'
  let at = afterSpace(text, 0)
  for (; at < text.length; at = afterSpace(text, at)) {
    const c = text[at] as string
    const top = open.at(-1)
    if (expected === 'comma or end') {
      if (top === undefined) return at
      if (c === ',') expected = top === '{' ? 'key' : 'value'
      else if (c === (top === '{' ? '}' : ']')) open.pop()
      else return at
      at++
    } else if (expected === 'colon') {
      if (c !== ':') return at
      expected = 'value'
      at++
    } else if ((expected === 'key or end' && c === '}') || (expected === 'item or end' && c === ']')) {
      open.pop()
      expected = 'comma or end'
      at++
    } else if (expected === 'key' || expected === 'key or end') {
      const end = c === '"' ? string(text, at) : fault(at)
      if (end < 0) return ~end
      expected = 'colon'
      at = end
    } else if (c === '{' || c === '[') {
      open.push(c)
      expected = c === '{' ? 'key or end' : 'item or end'
      at++
    } else {
      const end = scalar(text, at)
      if (end < 0) return ~end
      expected = 'comma or end'
      at = end
    }
  }
  return open.length === 0 && expected === 'comma or end' ? undefined : text.length
}

/**
 * Encodes the index of a syntax error as a negative number, to tell it from the index after a value.
 */
const fault = (at: number): number => ~at

function afterSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return at
}

/** Returns the index after the string, number or word that begins at `at`; for a syntax error, its encoded index. */
function scalar(text: string, at: number): number {
  const c = text[at] as string
  if (c === '"') return string(text, at)
  if (c === '-' || isDigit(c)) return number(text, at)
  const word = ['true', 'false', 'null'].find((one) => one[0] === c)
  if (word === undefined) return fault(at)
  for (let i = 0; i < word.length; i++) if (text[at + i] !== word[i]) return fault(at + i)
  return at + word.length
}

function string(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at] as string
    if (c === '"') return at + 1
    if (c < ' ') return fault(at)
    if (c !== '\\') continue
    at++
    if (text[at] === 'u') {
      for (let i = 0; i < 4; i++) if (!/^[0-9a-f]$/i.test(text[++at] ?? '')) return fault(Math.min(at, text.length))
    } else if (!/^["\\/bfnrt]$/.test(text[at] ?? '')) return fault(Math.min(at, text.length))
  }
  return fault(text.length)
}

function number(text: string, start: number): number {
  let at = text[start] === '-' ? start + 1 : start
  if (!isDigit(text[at])) return fault(at)
  at = text[at] === '0' ? at + 1 : digits(text, at)
  if (text[at] === '.') {
    if (!isDigit(text[at + 1])) return fault(at + 1)
    at = digits(text, at + 1)
  }
  if (text[at] !== 'e' && text[at] !== 'E') return at
  at += text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1
  return isDigit(text[at]) ? digits(text, at) : fault(at)
}

function digits(text: string, from: number): number {
  let at = from
  while (isDigit(text[at])) at++
  return at
}

const isDigit = (c: string | undefined): boolean => c !== undefined && c >= '0' && c <= '9'
