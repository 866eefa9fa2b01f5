/** A small writer for the archive inside `svc.pyz`: deflated members, 1980-01-01, mode 0644, offsets from the start of the whole file. */
import { crc32 } from 'node:zlib'

export interface Member {
  readonly name: string
  readonly content: Buffer
  /** The content, deflated. */
  readonly packed: Buffer
}

/** The archive as it stands `offset` bytes into a file. */
export function archive(members: readonly Member[], offset: number): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let at = offset
  for (const member of members) {
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      common(member),
      u16(0),
      Buffer.from(member.name),
      member.packed,
    ])
    locals.push(local)
    centrals.push(central(member, at))
    at += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = [
    Buffer.from('PK\x05\x06', 'latin1'),
    u16(0),
    u16(0),
    u16(members.length),
    u16(members.length),
    u32(directory.length),
    u32(at),
    u16(0),
  ]
  return Buffer.concat([...locals, directory, ...end])
}

/** Whether nothing in these bytes ends a line of JavaScript: no LF, CR, U+2028, U+2029. */
export const noLineEnd = (bytes: Buffer): boolean =>
  !bytes.includes(0x0a) && !bytes.includes(0x0d) && !bytes.includes('\u2028') && !bytes.includes('\u2029')

const u16 = (n: number): Buffer => Buffer.from([n & 0xff, n >>> 8])
const u32 = (n: number): Buffer => Buffer.from([n & 0xff, (n >>> 8) & 0xff, (n >>> 16) & 0xff, n >>> 24])

/** What the local and the central header share: version 2.0, no flags, deflate, time, sums, length of the name. */
const common = ({ name, content, packed }: Member): Buffer =>
  Buffer.concat([
    u16(20),
    u16(0),
    u16(8),
    u16(0),
    u16(0x21),
    u32(crc32(content)),
    u32(packed.length),
    u32(content.length),
    u16(name.length),
  ])

function central(member: Member, at: number): Buffer {
  const unix = u16((3 << 8) | 20)
  const nothing = [u16(0), u16(0), u16(0), u16(0)] // extra field, comment, disk, internal attributes
  return Buffer.concat([
    Buffer.from('PK\x01\x02', 'latin1'),
    unix,
    common(member),
    ...nothing,
    u32((0o100644 << 16) >>> 0),
    u32(at),
    Buffer.from(member.name),
  ])
}
