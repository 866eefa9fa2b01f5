/**
 * Builds zip archives byte by byte, so that a test can make every number in them wrong. Numbers that a test does not
 * give are correct.
 */
import { deflateRawSync } from 'node:zlib'
import { crc32 } from '../src/zip/bytes.ts'

export interface Numbers {
  flags: number
  method: number
  time: number
  crc: number
  packed: number
  size: number
  name: Uint8Array
  extra: Uint8Array
}
export interface RawEntry {
  readonly name: string | Uint8Array
  readonly content?: Uint8Array | string
  /**
   * How the content is packed: `store` (the default), `deflate`, or the given bytes, which the entry declares as
   * deflated.
   */
  readonly pack?: 'store' | 'deflate' | Uint8Array
  /**
   * The file type and mode of the entry. The default is that of a plain file, or of a folder if the name ends in `/`.
   */
  readonly mode?: number
  /** The DOS attributes, which are the lower half of the external attributes. */
  readonly dos?: number
  readonly madeBy?: number
  readonly disk?: number
  /** Values that are written into both headers of the entry instead of the correct values. */
  readonly both?: Partial<Numbers>
  readonly local?: Partial<Numbers>
  readonly central?: Partial<Numbers>
  /**
   * A data descriptor that follows the entry's data. The entry's flag for a descriptor is then set, and the checksum
   * and sizes in its local header are 0.
   */
  readonly descriptor?: 'signed' | 'plain' | Uint8Array
  /** Bytes before the local header that belong to no entry. */
  readonly before?: Uint8Array
  /** A wrong offset of the entry's local header. */
  readonly start?: number
  /**
   * The index of another entry. This entry then has no local header and data, and the directory gives those of the
   * other.
   */
  readonly sharesLocalOf?: number
}
export interface RawArchive {
  readonly before?: Uint8Array
  /** True if the archive's offsets count from the end of `before` instead of from the beginning of the file. */
  readonly relative?: boolean
  readonly beforeDirectory?: Uint8Array
  readonly afterDirectory?: Uint8Array
  readonly comment?: Uint8Array
  readonly after?: Uint8Array
  readonly end?: Partial<{
    disk: number
    firstDisk: number
    here: number
    all: number
    directorySize: number
    directoryAt: number
    commentSize: number
  }>
}

const u16 = (n: number) => Buffer.from([n & 0xff, (n >>> 8) & 0xff])
const u32 = (n: number) => Buffer.from([n & 0xff, (n >>> 8) & 0xff, (n >>> 16) & 0xff, (n >>> 24) & 0xff])
const nothing = new Uint8Array(0)

export function rawZip(entries: readonly RawEntry[], archive: RawArchive = {}): Buffer {
  const base = archive.before ?? nothing
  const parts: Uint8Array[] = [base]
  const starts: number[] = []
  let at = archive.relative ? 0 : base.length
  const put = (...bytes: Uint8Array[]) => {
    parts.push(...bytes)
    for (const b of bytes) at += b.length
  }
  const made = entries.map(numbersOf)
  for (const [i, entry] of entries.entries()) {
    const { numbers, data } = made[i] as (typeof made)[number]
    if (entry.sharesLocalOf !== undefined) {
      starts.push(starts[entry.sharesLocalOf] ?? 0)
      continue
    }
    if (entry.before) put(entry.before)
    starts.push(at)
    const local = { ...numbers, ...(entry.descriptor && { crc: 0, packed: 0, size: 0 }), ...entry.local }
    put(Buffer.from('PK\x03\x04', 'latin1'), u16(20), ...headerOf(local), local.name, local.extra, data)
    if (entry.descriptor) put(descriptorOf(entry.descriptor, numbers))
  }
  if (archive.beforeDirectory) put(archive.beforeDirectory)
  const directoryAt = at
  for (const [i, entry] of entries.entries()) {
    const { numbers } = made[i] as (typeof made)[number]
    const central = { ...numbers, ...entry.central }
    put(
      Buffer.from('PK\x01\x02', 'latin1'),
      u16(((entry.madeBy ?? 3) << 8) | 20),
      u16(20),
      ...headerOf(central),
      u16(0),
      u16(entry.disk ?? 0),
      u16(0),
      u32((modeOf(entry) << 16) | (entry.dos ?? 0)),
      u32(entry.start ?? starts[i] ?? 0),
      central.name,
      central.extra,
    )
  }
  const directorySize = at - directoryAt
  if (archive.afterDirectory) put(archive.afterDirectory)
  const comment = archive.comment ?? nothing
  const end = {
    disk: 0,
    firstDisk: 0,
    here: entries.length,
    all: entries.length,
    directorySize,
    directoryAt,
    commentSize: comment.length,
    ...archive.end,
  }
  put(endOf(end), comment, archive.after ?? nothing)
  return Buffer.concat(parts)
}

export const endOf = (end: Required<NonNullable<RawArchive['end']>>): Buffer =>
  Buffer.concat([
    Buffer.from('PK\x05\x06', 'latin1'),
    u16(end.disk),
    u16(end.firstDisk),
    u16(end.here),
    u16(end.all),
    u32(end.directorySize),
    u32(end.directoryAt),
    u16(end.commentSize),
  ])

export const extraField = (id: number, data: Uint8Array): Buffer => Buffer.concat([u16(id), u16(data.length), data])
/** Builds Info-ZIP's extra field that holds a name in UTF-8. */
export const unicodePath = (plain: string, name: string, version = 1): Buffer =>
  extraField(0x7075, Buffer.concat([Buffer.from([version]), u32(crc32(Buffer.from(plain))), Buffer.from(name)]))

function numbersOf(entry: RawEntry): { numbers: Numbers; data: Uint8Array } {
  const { content: given = '' } = entry
  const content = typeof given === 'string' ? Buffer.from(given) : given
  const name = Buffer.from(entry.name)
  const data =
    entry.pack === 'deflate' ? deflateRawSync(content) : entry.pack instanceof Uint8Array ? entry.pack : content
  const numbers = {
    flags: (entry.descriptor ? 0x8 : 0) | (name.every((b) => b < 0x80) ? 0 : 0x800),
    method: entry.pack === undefined || entry.pack === 'store' ? 0 : 8,
    time: 0x21_0000,
    crc: crc32(content),
    packed: data.length,
    size: content.length,
    name,
    extra: nothing,
    ...entry.both,
  }
  return { numbers, data }
}

const modeOf = (entry: RawEntry): number =>
  entry.mode ?? (Buffer.from(entry.name).at(-1) === 0x2f ? 0o040755 : 0o100644)

const headerOf = (n: Numbers): Buffer[] => [
  u16(n.flags),
  u16(n.method),
  u32(n.time),
  u32(n.crc),
  u32(n.packed),
  u32(n.size),
  u16(n.name.length),
  u16(n.extra.length),
]

function descriptorOf(kind: 'signed' | 'plain' | Uint8Array, { crc, packed, size }: Numbers): Uint8Array {
  if (kind instanceof Uint8Array) return kind
  const says = [u32(crc), u32(packed), u32(size)]
  return Buffer.concat(kind === 'signed' ? [Buffer.from('PK\x07\x08', 'latin1'), ...says] : says)
}
