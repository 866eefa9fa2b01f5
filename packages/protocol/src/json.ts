import { isObject } from './fields.ts'
import { limits } from './limits.ts'
import type { Verdict } from './verdict.ts'

/** A byte order mark is kept by this decoder, so that JSON.parse refuses it (D14). */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** D14: the object in a body, or why there is none: not UTF-8, not JSON, no object, nested deeper than 32. */
export function readJson(body: Uint8Array): Verdict<Record<string, unknown>, 'body_invalid'> {
  let parsed: unknown
  try {
    parsed = JSON.parse(decoder.decode(body))
  } catch {
    return invalid('The body must be JSON in UTF-8 without a byte order mark.')
  }
  if (!isObject(parsed)) return invalid('The body must be a JSON object.')
  if (!shallow(parsed, limits.depth)) return invalid(`The body must not be nested deeper than ${limits.depth} levels.`)
  return { ok: true, value: parsed }
}

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

const invalid = (message: string) => ({ ok: false, code: 'body_invalid', message }) as const
