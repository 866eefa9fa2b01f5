/**
 * Reads a large JSON text full of different property names. `JSON.parse` is slow for it: V8 makes a hidden class for
 * each new sequence of names and enters each name in a global table, which takes 50 to 180 ms for 250 KB. Here each
 * object is a Map, whose keys cost neither. For a few repeated names, `JSON.parse` is three times faster.
 */

type Container = unknown[] | Map<string, unknown>

/**
 * Only JSON texts of at least this many characters are sampled for names. Shorter texts are cheap to parse in any case.
 */
const largeFrom = 32 * 1024

/**
 * Parses JSON like `JSON.parse`, but makes all objects Maps if the text is large and full of different names; fields
 * (fields.ts) can read both. Throws SyntaxError if the text is not JSON. `random` returns numbers from 0 to 1.
 */
export const parseJson = (text: string, random: () => number = Math.random): unknown =>
  hasManyNames(text, random) ? parseAsMaps(text) : JSON.parse(text)

/**
 * True if `parseJson` made the objects of this value Maps, which means that its text is large and full of different
 * names.
 */
export const isMapOfNames = (value: unknown): boolean => value instanceof Map

const sample = { places: 64, once: 16, reach: 256 } as const

/**
 * True if this JSON text is large and many property names occur only once in it. The function looks at random places,
 * so that a sender cannot deceive it. The result is almost always true if a quarter of the names occur once, and false
 * for ordinary reports.
 */
export function hasManyNames(text: string, random: () => number = Math.random): boolean {
  if (text.length < largeFrom) return false
  const seen = new Set<string>()
  const again = new Set<string>()
  for (let i = 0; i < sample.places; i++) {
    const from = Math.floor(random() * text.length)
    const part = text.slice(from, from + sample.reach)
    const end = part.indexOf('":', part.indexOf('"') + 1)
    const name = end < 0 ? '' : part.slice(part.lastIndexOf('"', end - 1) + 1, end)
    if (seen.has(name)) again.add(name)
    else seen.add(name)
  }
  return seen.size - again.size >= sample.once
}

/**
 * Parses JSON like `parseJson`, but makes every object a Map. The function does not recurse, since a text may be nested
 * to any depth (D14).
 */
export function parseAsMaps(text: string): unknown {
  const reader = new Reader(text)
  const outer: Container[] = []
  const outerKeys: string[] = []
  let inner: Container | undefined
  let key = ''
  for (;;) {
    let value = reader.begin()
    if (typeof value === 'object' && value !== null && !reader.closes(value)) {
      if (inner !== undefined) {
        outer.push(inner)
        outerKeys.push(key)
      }
      inner = value as Container
      if (!Array.isArray(inner)) key = reader.key()
      continue
    }
    for (;;) {
      if (inner === undefined) return reader.end(value)
      if (Array.isArray(inner)) inner.push(value)
      else inner.set(key, value)
      if (reader.continues(inner)) break
      value = inner
      inner = outer.pop()
      if (inner !== undefined) key = outerKeys.pop() as string
    }
    if (!Array.isArray(inner)) key = reader.key()
  }
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Every whole number with at most this many digits can be represented exactly by a double. */
const exactDigits = 15
/**
 * Strings of this length or more are copied by `JSON.parse`. V8 would make a longer slice a view that keeps the whole
 * text in memory.
 */
const copiedLength = 12

const quote = 0x22
const backslash = 0x5c
const zero = 0x30
const nine = 0x39

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Reads the next value. For a list or an object, it reads only the opening bracket and returns an empty list or Map.
   */
  begin(): unknown {
    const c = this.#next()
    if (c === quote) return this.#string()
    if (c > zero && c <= nine) return this.#integer(c)
    if (c === 0x7b /* { */) {
      this.#at++
      return new Map()
    }
    if (c === 0x5b /* [ */) {
      this.#at++
      return []
    }
    if (c === 0x74 /* t */) return this.#word('true', true)
    if (c === 0x66 /* f */) return this.#word('false', false)
    if (c === 0x6e /* n */) return this.#word('null', null)
    return this.#number()
  }

  /** Returns true and skips the closing bracket if the list or object is empty; returns false if an entry follows. */
  closes(container: object): boolean {
    const empty = this.#next() === closingByteOf(container)
    if (empty) this.#at++
    return empty
  }

  /**
   * Reads the character after an entry of a list or object. Returns true for a comma, and false for the closing
   * bracket.
   */
  continues(container: object): boolean {
    const c = this.#next()
    if (c !== 0x2c /* , */ && c !== closingByteOf(container)) throw this.#fault()
    this.#at++
    return c === 0x2c
  }

  /** Reads a property name and the colon after it. */
  key(): string {
    if (this.#next() !== quote) throw this.#fault()
    const key = this.#string()
    if (this.#next() !== 0x3a /* : */) throw this.#fault()
    this.#at++
    return key
  }

  /** Returns `value`, the value of the whole text. Throws if anything but white space follows the value. */
  end(value: unknown): unknown {
    this.#next()
    if (this.#at < this.#text.length) throw this.#fault()
    return value
  }

  /** Skips white space and returns the code of the next character, or NaN at the end of the text. */
  #next(): number {
    let c = this.#text.charCodeAt(this.#at)
    while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = this.#text.charCodeAt(++this.#at)
    return c
  }

  #string(): string {
    const text = this.#text
    const start = this.#at
    let isEscaped = false
    let at = start + 1
    for (let c = text.charCodeAt(at); c !== quote; c = text.charCodeAt(++at)) {
      if (c === backslash) {
        isEscaped = true
        at++
      } else if (!(c >= 0x20)) throw this.#fault()
    }
    this.#at = at + 1
    if (isEscaped || at - start > copiedLength) return JSON.parse(text.slice(start, at + 1)) as string
    return text.slice(start + 1, at)
  }

  /**
   * Reads a number that begins with the digit `first` (1 to 9). This is faster than `#number` for short integers, and
   * most numbers in reports are such integers.
   */
  #integer(first: number): number {
    const start = this.#at
    let value = first - zero
    let c = this.#text.charCodeAt(++this.#at)
    for (; c >= zero && c <= nine; c = this.#text.charCodeAt(++this.#at)) value = value * 10 + c - zero
    const isWhole = c !== 0x2e /* . */ && c !== 0x65 /* e */ && c !== 0x45 /* E */
    if (isWhole && this.#at - start <= exactDigits) return value
    this.#at = start
    return this.#number()
  }

  #number(): number {
    numberPattern.lastIndex = this.#at
    if (!numberPattern.test(this.#text)) throw this.#fault()
    const start = this.#at
    this.#at = numberPattern.lastIndex
    return Number(this.#text.slice(start, this.#at))
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#fault()
    this.#at += word.length
    return value
  }

  #fault(): SyntaxError {
    return new SyntaxError(`This is not JSON: there is a syntax error at character ${this.#at + 1}.`)
  }
}

const closingByteOf = (container: object): number => (Array.isArray(container) ? 0x5d /* ] */ : 0x7d) /* } */
