import { isObject } from './fields.ts'
import { faultIn } from './json-fault.ts'
import type { Verdict } from './verdict.ts'

/** This decoder keeps a byte order mark, so that JSON.parse refuses it (D14). */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type Json = { ok: true; value: Record<string, unknown>; text: string } | Refused
export type Refused = Extract<Verdict<never, 'body_invalid'>, { ok: false }>

/**
 * The object in a body and its text, or a refusal (D14): not UTF-8, a byte order mark, not JSON, not an object. The
 * object may be nested to any depth, so only known fields may be written, compared or quoted. With `parseJson` the
 * objects of a large body may be Maps.
 */
export function readJson(body: Uint8Array, parse: (text: string) => unknown = JSON.parse): Json {
  let text: string
  try {
    text = decoder.decode(body)
  } catch {
    return invalid('The body must be in UTF-8: it holds bytes that are not.')
  }
  try {
    const value = parse(text)
    return isObject(value) ? { ok: true, value, text } : invalid('The body must be a JSON object.')
  } catch {
    return text.startsWith('\ufeff') ? invalid('The body must not begin with a byte order mark.') : notJson(text)
  }
}

function notJson(text: string): Refused {
  const at = faultIn(text)
  if (at === undefined) return invalid('The body must be JSON.')
  const before = text.slice(0, at)
  const place = `line ${before.split('\n').length}, column ${[...before.slice(before.lastIndexOf('\n') + 1)].length + 1}`
  return invalid(
    at === text.length
      ? `The body must be JSON: it ends too early, at ${place}.`
      : `The body must be JSON: there is a syntax error at ${place}.`,
  )
}

/**
 * True if all texts in this JSON are clean (D13), judged from the JSON itself at a fraction of the cost of checking
 * each text. Only DEL and C1 can appear in JSON unescaped; everything else that is unclean is an escape. False means
 * unknown.
 */
export const isTidy = (json: string, bytes: number): boolean =>
  !(json.length === bytes ? json.includes('\u007f') : controls.test(json)) &&
  (!json.includes('\\') || !escapes.test(json))

/** The control characters DEL and C1. ASCII has only DEL of them, which is found much faster alone. */
const controls = /[\u007f-\u009f]/

/** The escapes `\b`, `\f`, `\r` and `\uXXXX` in JSON. Also matches an escaped backslash before one of these letters. */
const escapes = /\\[bfru]/

function invalid(message: string): Refused {
  return { ok: false, code: 'body_invalid', message }
}
