/**
 * Finds all parts of a zip archive by reading its bytes: the end record, the directory, and the header before each
 * entry's data. This code never throws; it unpacks nothing, and leaves it to `profile.ts` to judge what it found.
 */
import { limits } from '@svc/protocol'
import { uint16At, uint32At } from './bytes.ts'

/**
 * The fields that are in both headers of an entry: the local one before its data, and the central one in the directory.
 */
export interface ZipHeader {
  readonly flags: number
  readonly method: number
  /** The time and date of the entry, as the header has them. */
  readonly time: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  readonly name: Uint8Array
  readonly extra: Uint8Array
}
/** An entry of an archive, as its central header describes it. */
export interface ZipEntry extends ZipHeader {
  /** The name of the entry as text; bytes that are not UTF-8 become U+FFFD. */
  readonly path: string
  readonly disk: number
  /** The external attributes: file type and mode in the upper half, DOS attributes in the lower. */
  readonly attributes: number
  readonly start: number
  /**
   * The local header of the entry. Absent if there is none at `start`, or if the entry's data would overlap the
   * directory.
   */
  readonly local?: ZipHeader & { readonly dataStart: number }
  /** The offset after the entry's data and its descriptor; the entry's `start` if `local` is absent. */
  readonly end: number
  /**
   * The state of the data descriptor after the entry's data: `none` if the flags promise none or `local` is absent,
   * `good` if it repeats the checksum and the sizes, `bad` if it is missing or has other numbers.
   */
  readonly descriptor: 'none' | 'good' | 'bad'
}
/** The record at the end of an archive, which says where its directory is. */
export interface EndRecord {
  readonly at: number
  readonly disks: readonly [this_: number, first: number]
  readonly counts: readonly [here: number, all: number]
  readonly directorySize: number
  readonly directoryAt: number
  readonly commentSize: number
}
/** The parts of an archive. */
export interface ZipLayout {
  readonly bytes: Uint8Array
  /** The end record of the archive. It is absent if the bytes are no archive; then there are no entries either. */
  readonly end?: EndRecord
  /**
   * The entries of the archive in the order of its directory. There is at most one entry more than a bundle may have.
   */
  readonly entries: readonly ZipEntry[]
  /** The offset at which the last readable record of the directory ends. */
  readonly directoryEnd: number
}

const endSize = 22
const centralSize = 46
const localSize = 30
const descriptorFlag = 0x8
const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50, descriptor: 0x08074b50 } as const

export function zipLayoutOf(bytes: Uint8Array): ZipLayout {
  const end = endOf(bytes)
  if (!end) return { bytes, entries: [], directoryEnd: 0 }
  const entries: ZipEntry[] = []
  let at = end.directoryAt
  while (
    entries.length <= limits.bundleEntries &&
    at + centralSize <= end.at &&
    uint32At(bytes, at) === signatures.central
  ) {
    const next = at + centralSize + uint16At(bytes, at + 28) + uint16At(bytes, at + 30) + uint16At(bytes, at + 32)
    if (next > end.at) break
    entries.push(entryAt(bytes, at, end.directoryAt))
    at = next
  }
  return { bytes, end, entries, directoryEnd: at }
}

/** Finds the last end record in the file, which is the one that zip readers usually use. */
function endOf(bytes: Uint8Array): EndRecord | undefined {
  for (let at = bytes.length - endSize; at >= 0 && at >= bytes.length - endSize - 0xffff; at--) {
    if (bytes[at] !== 0x50 || uint32At(bytes, at) !== signatures.end) continue
    return {
      at,
      disks: [uint16At(bytes, at + 4), uint16At(bytes, at + 6)],
      counts: [uint16At(bytes, at + 8), uint16At(bytes, at + 10)],
      directorySize: uint32At(bytes, at + 12),
      directoryAt: uint32At(bytes, at + 16),
      commentSize: uint16At(bytes, at + 20),
    }
  }
  return undefined
}

/**
 * Returns the offsets of earlier end records that another zip reader could use: their comments end at the end of the
 * file.
 */
export function otherEnds({ bytes, end }: ZipLayout): number[] {
  if (!end) return []
  const others: number[] = []
  for (let at = Math.max(0, bytes.length - endSize - 0xffff); at < end.at; at++) {
    if (
      bytes[at] === 0x50 &&
      uint32At(bytes, at) === signatures.end &&
      at + endSize + uint16At(bytes, at + 20) === bytes.length
    )
      others.push(at)
  }
  return others
}

function entryAt(bytes: Uint8Array, at: number, limit: number): ZipEntry {
  const central = headerAt(bytes, at + 8, at + 28, at + centralSize)
  const start = uint32At(bytes, at + 42)
  const whole = {
    ...central,
    path: textOf(central.name),
    disk: uint16At(bytes, at + 34),
    attributes: uint32At(bytes, at + 38),
    start,
  }
  if (start + localSize > limit || uint32At(bytes, start) !== signatures.local)
    return { ...whole, end: start, descriptor: 'none' }
  const dataStart = start + localSize + uint16At(bytes, start + 26) + uint16At(bytes, start + 28)
  const dataEnd = dataStart + central.packed
  if (dataEnd > limit) return { ...whole, end: start, descriptor: 'none' }
  const local = { ...headerAt(bytes, start + 6, start + 26, start + localSize), dataStart }
  if ((central.flags & descriptorFlag) === 0) return { ...whole, local, end: dataEnd, descriptor: 'none' }
  const size = descriptorSize(bytes, dataEnd, limit, central)
  return { ...whole, local, end: dataEnd + (size ?? 0), descriptor: size === undefined ? 'bad' : 'good' }
}

/**
 * Reads the fields that both headers of an entry have in the same order, from the flags at `at` on. `lengths` is the
 * offset of the length of the name, and `name` that of the name.
 */
function headerAt(bytes: Uint8Array, at: number, lengths: number, name: number): ZipHeader {
  const nameEnd = name + uint16At(bytes, lengths)
  return {
    flags: uint16At(bytes, at),
    method: uint16At(bytes, at + 2),
    time: uint32At(bytes, at + 4),
    crc: uint32At(bytes, at + 8),
    packed: uint32At(bytes, at + 12),
    size: uint32At(bytes, at + 16),
    name: bytes.subarray(name, nameEnd),
    extra: bytes.subarray(nameEnd, nameEnd + uint16At(bytes, lengths + 2)),
  }
}

/**
 * Returns the size of the data descriptor at `at`, which has three numbers, with or without a signature before them.
 * Undefined if there is none that repeats the numbers of the header.
 */
function descriptorSize(bytes: Uint8Array, at: number, limit: number, { crc, packed, size }: ZipHeader) {
  const says = (from: number) =>
    from + 12 <= limit &&
    uint32At(bytes, from) === crc &&
    uint32At(bytes, from + 4) === packed &&
    uint32At(bytes, from + 8) === size
  if (uint32At(bytes, at) === signatures.descriptor && says(at + 4)) return 16
  return says(at) ? 12 : undefined
}

const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
