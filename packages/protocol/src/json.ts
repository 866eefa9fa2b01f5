import { isObject } from './fields.ts'
import { limits } from './limits.ts'
import type { Verdict } from './verdict.ts'

/** A byte order mark is kept by this decoder, so that JSON.parse refuses it (D14). */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type Json = { ok: true; value: Record<string, unknown>; text: string } | Refused
export type Refused = Extract<Verdict<never, 'body_invalid'>, { ok: false }>

/** D14: the object in a body, or why there is none: not UTF-8, not JSON, no object, nested deeper than 32. */
export function readJson(body: Uint8Array): Verdict<Record<string, unknown>, 'body_invalid'> {
  const json = parseObject(body)
  if (!json.ok) return json
  return isShallow(json.value) ? { ok: true, value: json.value } : tooDeep
}

/** The same, but for the depth. */
export function parseObject(body: Uint8Array): Json {
  try {
    const text = decoder.decode(body)
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { ok: true, value, text } : invalid('The body must be a JSON object.')
  } catch {
    return invalid('The body must be JSON in UTF-8 without a byte order mark.')
  }
}

export const isShallow = (v: object): boolean => shallow(v, limits.depth)

function shallow(v: object, left: number): boolean {
  if (left === 0) return false
  if (Array.isArray(v)) {
    for (const entry of v) if (typeof entry === 'object' && entry !== null && !shallow(entry, left - 1)) return false
    return true
  }
  for (const key in v) {
    const entry = (v as Record<string, unknown>)[key]
    if (typeof entry === 'object' && entry !== null && !shallow(entry, left - 1)) return false
  }
  return true
}

/**
 * Whether all texts in this JSON are clean (D13), told from the JSON itself at a fraction of what it costs to look through
 * them one by one. Only DEL and C1 can stand in it as they are, and what else is unclean only as an escape. False says nothing.
 */
export const isTidy = (json: string, bytes: number): boolean =>
  !(json.length === bytes ? json.includes('\u007f') : controls.test(json)) &&
  (!json.includes('\\') || !escapes.test(json))

/** DEL and C1. Of them ASCII has only the first, which is found much faster alone. */
const controls = /[\u007f-\u009f]/

/** `\b`, `\f`, `\r` and `\uXXXX`; also an escaped backslash before one of these letters. */
const escapes = /\\[bfru]/

export const tooDeep = invalid(`The body must not be nested deeper than ${limits.depth} levels.`)

function invalid(message: string): Refused {
  return { ok: false, code: 'body_invalid', message }
}
