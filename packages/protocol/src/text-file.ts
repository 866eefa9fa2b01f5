/**
 * Decodes a text file: UTF-8 without NUL characters. A byte order mark at the beginning is ignored. Other bytes are
 * refused with the reason and, if there is one, the place.
 */

type TextRead =
  | { readonly ok: true; readonly text: string }
  /**
   * `why` is the end of a sentence that begins with the name of the file: `has a NUL character at line 2, column 7`.
   * `fault` is the same without the place, for callers that show `place` in another way.
   */
  | { readonly ok: false; readonly why: string; readonly fault: string; readonly place?: TextPosition }
interface TextPosition {
  readonly line: number
  readonly column: number
}

export function readText(bytes: Uint8Array): TextRead {
  if (isUtf16(bytes)) return refused(() => 'is UTF-16; save it as UTF-8')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return notUtf8(bytes)
  }
  const nul = text.indexOf('\0')
  return nul < 0 ? { ok: true, text } : refused((at) => `has a NUL character${at}`, positionOf(text, nul))
}

/**
 * Refuses a text. `fault` returns the refusal in words. Its argument is the place, such as ` at line 2, column 7`, or
 * an empty text for words without a place.
 */
const refused = (fault: (at: string) => string, place?: TextPosition): TextRead => ({
  ok: false,
  why: fault(place ? ` at ${wordsOf(place)}` : ''),
  fault: fault(''),
  ...(place && { place }),
})

const wordsOf = ({ line, column }: TextPosition): string => `line ${line}, column ${column}`

function positionOf(text: string, at: number): TextPosition {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return { line, column: [...before.slice(before.lastIndexOf('\n') + 1)].length + 1 }
}

/** The place of the character at index `at`, such as `line 2, column 7`. Lines and columns are counted from 1. */
export const positionText = (text: string, at: number): string => wordsOf(positionOf(text, at))

/** The number of a character as Unicode writes it: `U+200B`. */
export const codePoint = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** The number of bytes at the beginning of a file that show whether it is UTF-16 without a byte order mark. */
const examinedBytes = 512

/**
 * True if the bytes begin with a byte order mark of UTF-16, or if nearly every second byte at the beginning is zero, as
 * in UTF-16 of mostly Latin letters.
 */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  const pairs = Math.floor(Math.min(bytes.length, examinedBytes) / 2)
  const zeros = [0, 0]
  for (let i = 0; i < 2 * pairs; i++) if (bytes[i] === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  return pairs > 0 && Math.max(even, odd) >= 0.8 * pairs && Math.min(even, odd) <= 0.2 * pairs
}

/** Refuses bytes that are not UTF-8, and names the first wrong byte with its place. */
function notUtf8(bytes: Uint8Array): TextRead {
  let at = 0
  for (let length = 1; length > 0 && at < bytes.length; at += length) {
    length = lengthAt(bytes, at)
    if (at + length > bytes.length)
      return refused(() => 'is not UTF-8 (it ends in the middle of a character); save it as UTF-8')
  }
  const before = new TextDecoder().decode(bytes.subarray(0, at))
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')
  return refused(
    (place) => `is not UTF-8 (byte 0x${byte}${place}; it may be Latin-1 or Windows-1252); save it as UTF-8`,
    positionOf(before, before.length),
  )
}

/**
 * The number of bytes of the character that begins at `at`; 0 if none begins there. A character that is cut at the end
 * of `bytes` counts as whole.
 */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  for (let i = 1; i < length && at + i < bytes.length; i++) {
    const [low, high] = (i === 1 && seconds[first]) || [0x80, 0xbf]
    const byte = bytes[at + i] ?? 0
    if (byte < low || byte > high) return 0
  }
  return length
}

/** The range of the second byte of a character, for the first bytes that restrict it (RFC 3629). */
const seconds: Readonly<Record<number, readonly [low: number, high: number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
}
