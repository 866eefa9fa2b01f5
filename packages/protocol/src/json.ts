import { isObject } from './fields.ts'
import { whyNotJson } from './json-reason.ts'
import type { Verdict } from './refusals.ts'
import { readText } from './text-file.ts'

/** A decoder that keeps a byte order mark at the start of a text, so that `JSON.parse` refuses the text (D14). */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8; throws if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

type Json = { ok: true; value: Record<string, unknown>; text: string } | RefusedBody
export type RefusedBody = Extract<Verdict<never, 'body_invalid'>, { ok: false }>

/**
 * Returns the JSON object in a body and its text. Refuses a body that is not UTF-8, has a byte order mark, is not JSON,
 * or is not an object (D14). The object may be nested to any depth, and its objects may be Maps if `parse` is
 * `parseJson`.
 */
export function readJson(body: Uint8Array, parse: (text: string) => unknown = JSON.parse): Json {
  let text: string
  try {
    text = decodeUtf8(body)
  } catch {
    const read = readText(body)
    return invalid(`The body must be in UTF-8: it ${read.ok ? 'holds bytes that are not' : read.why}.`)
  }
  try {
    const value = parse(text)
    return isObject(value) ? { ok: true, value, text } : invalid('The body must be a JSON object.')
  } catch {
    if (text.startsWith('\ufeff')) return invalid('The body must not begin with a byte order mark.')
    return invalid(`The body must be JSON: ${whyNotJson(text) ?? 'it cannot be parsed'}.`)
  }
}

/**
 * True if all texts in this valid JSON are known to be clean (D13); false if they may not be. Valid JSON can contain
 * only DEL and C1 as unclean characters without an escape. `bytes` is the length of the JSON in UTF-8.
 */
export const isCleanJson = (json: string, bytes: number): boolean =>
  !(json.length === bytes ? json.includes('\u007f') : controls.test(json)) &&
  (!json.includes('\\') || !escapePattern.test(json))

/**
 * The control characters DEL and C1. An ASCII text can contain only DEL, for which `includes` is much faster.
 */
const controls = /[\u007f-\u009f]/

/**
 * The escapes `\b`, `\f`, `\r` and `\uXXXX` in JSON. The pattern also matches an escaped backslash before one of these
 * letters.
 */
const escapePattern = /\\[bfru]/

function invalid(message: string): RefusedBody {
  return { ok: false, code: 'body_invalid', message }
}
