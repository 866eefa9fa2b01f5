/**
 * Text as it may be kept (D13): what could end a line of a terminal, break a database or lie about its length is gone
 * before anything else sees it. Markup is no concern here: whoever shows a text shows it as text.
 */
import { isShallow } from './depth.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const unclean = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const controls = /[\u0001-\u0008\u000b-\u001f\u007f-\u009f]/g

/** The same for JSON Schema: a text that stays as it is. Under the `u` flag only lone surrogates match \ud800-\udfff. */
export const tidyPattern = '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$'

/** D13: U+0000 and lone surrogates become U+FFFD; C0 and C1 controls but tab and newline are removed. */
export function clean(text: string): string {
  if (text.isWellFormed() && !unclean.test(text)) return text
  return text.toWellFormed().replaceAll('\0', '\ufffd').replace(controls, '')
}

/** Cuts at `max` Unicode code points (D12), never in the middle of one. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (let count = 0; count < max && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** A value as it may be quoted in a sentence: cleaned, and short enough for one. What is nested too deeply is only named. */
export const shown = (value: unknown, max = 100): string => cut(clean(quoted(value, max)), max)

function quoted(value: unknown, max: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 2 * max))
  if (typeof value === 'object' && value !== null && !isShallow(value)) return Array.isArray(value) ? '[…]' : '{…}'
  return JSON.stringify(value) ?? String(value)
}

/** The last `max` UTF-8 bytes of a text, cut at a code point (D7): the end of a log is what matters. */
export function endOf(text: string, max: number): string {
  if (text.length * 3 <= max) return text
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= max) return text
  let start = bytes.length - max
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start++
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start))
}
