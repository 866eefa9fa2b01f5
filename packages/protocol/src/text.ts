/**
 * Cleans and cuts texts before they are stored or shown (D13). A clean text has no character that could control a
 * terminal, break a database, or make the text seem shorter than it is. Markup is kept, since the page and the terminal
 * never interpret a text as markup.
 */
import { isShallow } from './depth.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const uncleanPattern = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing control characters is its purpose
const controls = /[\u0001-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * The pattern for JSON Schema that matches exactly the texts that `clean` does not change. Under the `u` flag,
 * \ud800-\udfff matches only lone surrogates.
 */
export const tidyPattern = '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$'

/**
 * Replaces U+0000 and lone surrogates by U+FFFD, and removes all C0 and C1 control characters except tab and newline
 * (D13).
 */
export function clean(text: string): string {
  if (text.isWellFormed() && !uncleanPattern.test(text)) return text
  return text.toWellFormed().replaceAll('\0', '\ufffd').replace(controls, '')
}

/** Characters that change the direction of the text around them, so that people may read it in a wrong order. */
const directionCharacters = /\p{Bidi_Control}/gu

/**
 * Cleans a text of several lines that a person wrote for others. Line breaks of every system become newlines, and
 * characters that change the direction of text are removed.
 */
export const cleanText = (text: string): string =>
  clean(text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')).replace(directionCharacters, '')

/** Returns the first `max` Unicode code points of a text (D12). */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (let count = 0; count < max && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** A text of at most `max` Unicode code points, which ends with an ellipsis if something was cut off. */
export const shortened = (text: string, max: number): string =>
  cut(text, max) === text ? text : `${cut(text, max - 1)}…`

/**
 * Formats a value as JSON that a message can quote, cleaned and cut. An object or list that is nested too deeply is
 * shown as `{…}` or `[…]`.
 */
export const shown = (value: unknown, max = 100): string => cut(clean(quoted(value, max)), max)

function quoted(value: unknown, max: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 2 * max))
  if (typeof value === 'object' && value !== null && !isShallow(value)) return Array.isArray(value) ? '[…]' : '{…}'
  return JSON.stringify(value) ?? String(value)
}

/** Returns the end of a text: at most `max` bytes of UTF-8, without half a character at the beginning (D7). */
export function endOfText(text: string, max: number): string {
  if (text.length * 3 <= max) return text
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= max) return text
  let start = bytes.length - max
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start))
}
