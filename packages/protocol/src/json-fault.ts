/**
 * Finds the position at which a text stops being JSON (RFC 8259), for error messages. `JSON.parse` does not always
 * report the position.
 */

type ExpectedToken = 'value' | 'item or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

/**
 * Returns the index of the first character that is a syntax error; the length of the text if the text ends too early;
 * undefined for valid JSON.
 */
export function faultIn(text: string): number | undefined {
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
 * Encodes the index of a syntax error as a negative number, so that it cannot be mistaken for the index after a value.
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
