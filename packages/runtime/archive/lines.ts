/**
 * Packs an archive in which no byte ends a line, because the archive in `svc.pyz` is inside a `//` comment. Members are
 * deflate data (RFC 1951) that saves no space: the text of a line is in stored blocks, unchanged, and each line end is
 * in a block with the fixed codes, which encode it as other bytes.
 */
import { type ZipMember, zipArchive } from '@svc/blueprint/zip'

/**
 * Builds a member of the archive. By chance, its checksum or a length could contain the byte of a line end, so dots in
 * a comment or spaces are appended to the text until they contain none.
 */
export function member(name: string, text: string): ZipMember {
  const remark = name.endsWith('.py') ? (n: number) => `#${'.'.repeat(n)}\n` : (n: number) => ' '.repeat(n)
  for (let n = 0; ; n++) {
    const content = Buffer.from(text + remark(n))
    const made = { name, content, packed: packed(content) }
    if (endsNoLine(zipArchive([made]))) return made
  }
}

/** True if no character in these bytes ends a line of JavaScript: no LF, CR, U+2028 or U+2029. */
export const endsNoLine = (bytes: Buffer): boolean =>
  !bytes.includes(0x0a) && !bytes.includes(0x0d) && !bytes.includes('\u2028') && !bytes.includes('\u2029')

/**
 * Returns the first offset, at or after `from`, at which the archive can begin. At such an offset, the upper three
 * bytes of every offset that the archive stores contain no line end; `within` are the distances of these offsets from
 * the beginning. An upper byte is the same for up to 16 million offsets, so trying one offset after the other would
 * take minutes.
 */
export function plainOffset(from: number, within: readonly number[] = []): number {
  let offset = from
  for (;;) {
    const next = Math.max(...[0, ...within].map((distance) => plainBytes(offset + distance) - distance))
    if (next === offset) return offset
    offset = next
  }
}

function plainBytes(from: number): number {
  let offset = from
  for (const unit of [0x1000000, 0x10000, 0x100]) {
    const byte = Math.floor(offset / unit) % 0x100
    if (byte === 0x0a || byte === 0x0d) offset = (Math.floor(offset / unit) + 1) * unit
  }
  return offset
}

/**
 * Returns the positions, relative to the start of the archive, of every member after the first, and of the archive's
 * directory.
 */
export function distances(members: readonly ZipMember[]): number[] {
  let at = 0
  return members.map(({ name, content, packed }) => {
    at += localHead + Buffer.byteLength(name) + (packed ?? content).length
    return at
  })
}
const localHead = 30

/** Packs a text as deflate data in which no byte ends a line. Throws if the text contains CR, U+2028 or U+2029. */
export function packed(text: Buffer): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (let end = text.indexOf(0x0a); end >= 0; end = text.indexOf(0x0a, at)) {
    parts.push(...stored(text.subarray(at, end)), lineEnd)
    at = end + 1
  }
  const bytes = Buffer.concat([...parts, ...stored(text.subarray(at)), lastBlock])
  if (!endsNoLine(bytes)) throw new Error('A text of the archive holds CR, U+2028 or U+2029.')
  return bytes
}

/**
 * The deflate data for one LF: a block with fixed codes, then an empty stored block, whose header fills the rest of the
 * last byte.
 */
const lineEnd = Buffer.from([0xe2, 0x02, 0x00, 0x00, 0x00, 0xff, 0xff])
/** The last deflate block, which has fixed codes and no content. */
const lastBlock = Buffer.from([0x03, 0x00])

/** Splits a text into stored blocks. The length fields of these blocks contain no byte that ends a line. */
function stored(text: Buffer): Buffer[] {
  const blocks: Buffer[] = []
  for (let at = 0, length = 0; at < text.length; at += length) {
    length = Math.min(text.length - at, 200)
    if (length === 0x0a || length === 0x0d) length--
    blocks.push(Buffer.from([0, length, 0, 255 - length, 0xff]), text.subarray(at, at + length))
  }
  return blocks
}
