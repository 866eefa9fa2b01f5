/**
 * Parses a large JSON body in pieces, which takes a sixth less time. For a text of 128 KB or more, V8 requests memory
 * from the system, which has to map and clear it.
 */
import { isObject } from './fields.ts'
import { hasManyNames } from './json-large.ts'

/** The maximum number of bytes of a piece, small enough for memory that V8 already has. */
const pieceBytes = 120 * 1024
/**
 * The number of bytes at the end of a piece in which the code looks for a position to cut. A report may have a list of
 * 20 to 40 KB without such a position.
 */
const reach = 48 * 1024

/** A name that no sender can know. It marks the entries that are added to close and to open a list. */
const mark = `svc-${Math.random().toString(36).slice(2)}`
const encoder = new TextEncoder()
const opening = encoder.encode(`{"${mark}":[`)
const closing = encoder.encode(`,"${mark}"]}`)
/** The bytes of `]},{`. A body is cut only at such a comma. */
const [bracket, brace, comma, nextBrace] = encoder.encode(']},{')
/** The bytes of the piece that is being parsed. */
const scratch = new Uint8Array(pieceBytes)

/**
 * Returns the same object as `JSON.parse`; undefined if the body must be parsed in another way: it is small, is not a
 * JSON object, has no position to cut, or is full of different names (json-large.ts). `decode` throws if the bytes are
 * not a text. `each` gets the text of each piece with the number of its bytes.
 */
export function parseInPieces(
  body: Uint8Array,
  decode: (bytes: Uint8Array) => string,
  each: (text: string, bytes: number) => void,
): Record<string, unknown> | undefined {
  if (body.length <= pieceBytes) return undefined
  let whole: Record<string, unknown> | undefined
  let open: unknown[] | undefined
  for (let from = 0; from < body.length; ) {
    const to = endOfPiece(body, from)
    if (to === undefined) return undefined
    const value = parsePiece(pieceOf(body, from, to), decode, each)
    if (!value) return undefined
    const next = to < body.length ? openList(value) : undefined
    if (whole) {
      const { [mark]: entries, ...rest } = value
      for (const entry of entries as unknown[]) open?.push(entry)
      for (const key of Object.keys(rest)) whole[key] = rest[key]
      if (next !== entries) open = next
    } else {
      whole = value
      open = next
    }
    from = to + 1 // The comma is in neither piece.
  }
  return whole
}

/**
 * Returns the end of the piece that begins at `from`; undefined if there is no position to cut. The comma in `]},{` is
 * nearly always between two entries of a list in the outermost object. If it is anywhere else, for example inside a
 * text, `parsePiece` notices: the pieces with `closing` and `opening` are not valid JSON then.
 */
function endOfPiece(body: Uint8Array, from: number): number | undefined {
  if (body.length - from + opening.length <= pieceBytes) return body.length
  const last = from + pieceBytes - opening.length - closing.length
  for (let at = last; at > last - reach; at--) if (isCut(body, at)) return at
  return undefined
}

const isCut = (body: Uint8Array, at: number): boolean =>
  body[at] === comma && body[at - 1] === brace && body[at - 2] === bracket && body[at + 1] === nextBrace

/** Writes a piece to `scratch`, as JSON with `opening` and `closing` where the body is cut. */
function pieceOf(body: Uint8Array, from: number, to: number): Uint8Array {
  let size = 0
  const add = (bytes: Uint8Array) => {
    scratch.set(bytes, size)
    size += bytes.length
  }
  if (from > 0) add(opening)
  add(body.subarray(from, to))
  if (to < body.length) add(closing)
  return scratch.subarray(0, size)
}

function parsePiece(
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => string,
  each: (text: string, bytes: number) => void,
): Record<string, unknown> | undefined {
  try {
    const text = decode(bytes)
    if (hasManyNames(text)) return undefined
    each(text, bytes.length)
    const value: unknown = JSON.parse(text)
    // `parseInPieces` copies properties by assignment, which does not work for `__proto__`.
    return isObject(value) && !Object.hasOwn(value, '__proto__') ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the list that the end of the piece has cut, without the entry `mark` that `closing` added to it. */
function openList(value: Record<string, unknown>): unknown[] | undefined {
  for (const key in value) {
    const list = value[key]
    if (!Array.isArray(list) || list.at(-1) !== mark) continue
    list.pop()
    return list
  }
  return undefined
}
