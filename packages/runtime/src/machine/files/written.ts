/** Reads JSON that people or their programs wrote. If it is not valid, the result says why, and at which position. */
import { isObject, readText, repeatedKeys, whyNotJson } from '@svc/protocol'
import { readFile } from './read.ts'

type JsonRead =
  | {
      readonly ok: true
      readonly value: unknown
      /** The keys that occur more than once in an object, with their lines. Only the last one counts. */
      readonly repeated: ReturnType<typeof repeatedKeys>
    }
  /** `why` is the end of a sentence that begins with the name of the file. */
  | { readonly ok: false; readonly why: string }

export function parseWritten(bytes: Uint8Array): JsonRead {
  const read = readText(bytes)
  if (!read.ok) return read
  try {
    return { ok: true, value: JSON.parse(read.text), repeated: repeatedKeys(read.text) }
  } catch {
    return { ok: false, why: `is not JSON: ${whyNotJson(read.text) ?? 'it cannot be parsed'}` }
  }
}

type WrittenObject =
  | {
      readonly is: 'object'
      readonly value: Record<string, unknown>
      readonly repeated: ReturnType<typeof repeatedKeys>
    }
  | { readonly is: 'missing' }
  | { readonly is: 'unread'; readonly why: string }

/** Reads a file that holds one JSON object of at most `max` bytes. */
export function readWrittenObject(file: string, max: number): WrittenObject {
  const read = readFile(file, max)
  if (read.is === 'missing') return read
  if (read.is === 'unreadable') return { is: 'unread', why: read.why }
  const parsed = parseWritten(read.bytes)
  if (!parsed.ok) return { is: 'unread', why: parsed.why }
  const { value, repeated } = parsed
  return isObject(value) ? { is: 'object', value, repeated } : { is: 'unread', why: 'holds no JSON object' }
}
