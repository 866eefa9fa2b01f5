/**
 * Writes zip archives whose bytes depend only on their content: dated 1980-01-01, made by Unix, without extra fields
 * and descriptors, with the members in the given order. Bundles and the archive in `svc.pyz` are written with it.
 */
import { bytesOf, crc32 } from './bytes.ts'

export { deflate } from './deflate.ts'

/** A file to write into an archive. */
export interface ZipMember {
  readonly name: string
  readonly content: Uint8Array
  /** The content compressed with deflate. If absent, the archive has the content uncompressed. */
  readonly packed?: Uint8Array
  readonly executable?: boolean
}

/** Builds an archive. Its offsets are correct for a file in which `offset` bytes precede the archive. */
export function zipArchive(members: readonly ZipMember[], offset = 0): Buffer {
  const locals: Uint8Array[] = []
  const centrals: Uint8Array[] = []
  let at = offset
  for (const member of members) {
    const shared = common(member)
    const name = Buffer.from(member.name)
    const head = Uint8Array.from([...signature('\x03\x04'), ...shared, ...bytesOf(0, 2)])
    const data = member.packed ?? member.content
    locals.push(head, name, data)
    centrals.push(Uint8Array.from([...signature('\x01\x02'), ...madeByUnix, ...shared, ...tail(member, at)]), name)
    at += head.length + name.length + data.length
  }
  const directorySize = centrals.reduce((sum, part) => sum + part.length, 0)
  const end = [
    ...signature('\x05\x06'),
    ...bytesOf(0, 4),
    ...bytesOf(members.length, 2),
    ...bytesOf(members.length, 2),
    ...bytesOf(directorySize, 4),
    ...bytesOf(at, 4),
    ...bytesOf(0, 2),
  ]
  return Buffer.concat([...locals, ...centrals, Uint8Array.from(end)])
}

const signature = (kind: string): Buffer => Buffer.from(`PK${kind}`, 'latin1')
const madeByUnix = bytesOf((3 << 8) | 20, 2)
const dosDate = 0x21 // 1980-01-01 in the format of DOS dates

/**
 * The bytes that the local and the central header of a member share: version 2.0, flags, method, time, checksum, sizes,
 * length of the name.
 */
function common({ name, content, packed }: ZipMember): number[] {
  const encoded = Buffer.from(name)
  const isAscii = encoded.every((byte) => byte < 0x80)
  return [
    ...bytesOf(20, 2),
    ...bytesOf(isAscii ? 0 : 0x0800, 2),
    ...bytesOf(packed ? 8 : 0, 2),
    ...bytesOf(0, 2),
    ...bytesOf(dosDate, 2),
    ...bytesOf(crc32(content), 4),
    ...bytesOf((packed ?? content).length, 4),
    ...bytesOf(content.length, 4),
    ...bytesOf(encoded.length, 2),
  ]
}

/**
 * The end of a central header: no extra field, no comment, the first disk, no internal attributes, the mode, and the
 * offset of the local header.
 */
const tail = ({ executable }: ZipMember, at: number): number[] => [
  ...[0, 0, 0, 0].flatMap((n) => bytesOf(n, 2)),
  ...bytesOf(((executable ? 0o100755 : 0o100644) << 16) >>> 0, 4),
  ...bytesOf(at, 4),
]
