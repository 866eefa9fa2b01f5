/**
 * Decides from its headers alone whether a zip archive may be a bundle (D49), with the contract's rules for entries (4,
 * acceptance rules). Every byte of the file must belong to exactly one part, and headers that repeat each other must
 * agree, so that no two zip readers see different bundles in one file.
 */
import { isUtf8 } from 'node:buffer'
import { limits, limitText } from '@svc/protocol'
import { crc32, uint16At, uint32At } from './bytes.ts'
import { type EndRecord, otherEnds, type ZipEntry, type ZipHeader, type ZipLayout } from './layout.ts'

type ArchiveRule = readonly [says: string, holds: (layout: ZipLayout & { readonly end: EndRecord }) => boolean]
type EntryRule = readonly [says: string, holds: (entry: ZipEntry) => boolean]

/** The message about a bundle with too many entries. */
export const tooManyEntries = `has more than ${limits.bundleEntries} entries`

/** The conditions under which an archive as a whole is refused, each with the words for a finding. */
export const archiveRules: readonly ArchiveRule[] = [
  ['has bytes after its end record', ({ end, bytes }) => end.at + 22 + end.commentSize < bytes.length],
  ['is cut off in the comment of its end record', ({ end, bytes }) => end.at + 22 + end.commentSize > bytes.length],
  ['has a second end record', (layout) => otherEnds(layout).length > 0],
  ['is zip64', ({ end, bytes }) => isZip64(end) || (end.at >= 20 && uint32At(bytes, end.at - 20) === 0x07064b50)],
  [
    'is split over several disks',
    ({ end: { disks, counts } }) => disks.some((d) => d !== 0) || counts[0] !== counts[1],
  ],
  [tooManyEntries, ({ end, entries }) => Math.max(end.counts[1], entries.length) > limits.bundleEntries],
  ['has another number of entries than its end record says', ({ end, entries }) => entries.length !== end.counts[1]],
  ['has bytes between its directory and its end record', ({ end, directoryEnd }) => directoryEnd < end.at],
  [
    'has a directory of another size or at another place than its end record says',
    ({ end, directoryEnd }) => end.directoryAt + end.directorySize !== end.at || directoryEnd > end.at,
  ],
  [
    'has bytes before its first entry',
    ({ end, entries }) => Math.min(end.directoryAt, ...entries.map((e) => e.start)) > 0,
  ],
]

/** The conditions under which a single entry is refused, each with the words for a finding. */
export const entryRules: readonly EntryRule[] = [
  ['has no local header, or data that reaches past the entries', ({ local }) => !local],
  ['is encrypted', ({ flags, local }) => ((flags | (local?.flags ?? 0)) & 0x2041) !== 0],
  ['is neither stored nor deflated', ({ method }) => method !== 0 && method !== 8],
  ['has flags that a bundle may not have', ({ flags }) => (flags & ~(0x2041 | 0x080e)) !== 0],
  [
    'is zip64',
    (e) =>
      [e.packed, e.size, e.start].includes(0xffffffff) || headersOf(e).some((h) => fieldOf(h, 0x0001) !== undefined),
  ],
  ['is on another disk', ({ disk }) => disk !== 0],
  ['has another name in its local header', ({ name, local }) => local !== undefined && !areSameBytes(name, local.name)],
  ['has another method in its local header', ({ method, local }) => local !== undefined && method !== local.method],
  ['has other flags in its local header', ({ flags, local }) => local !== undefined && flags !== local.flags],
  ['has another time in its local header', ({ time, local }) => local !== undefined && time !== local.time],
  ['has another checksum in its local header', (e) => hasDifferent(e, 'crc')],
  ['has other sizes in its local header', (e) => hasDifferent(e, 'packed') || hasDifferent(e, 'size')],
  [
    'has no descriptor behind its data that says the same',
    ({ local, descriptor }) => local !== undefined && descriptor === 'bad',
  ],
  [
    'is stored, and has a descriptor behind its data',
    ({ method, flags, packed }) => method === 0 && packed > 0 && (flags & 0x8) !== 0,
  ],
  ['has other extra fields in its local header', (e) => e.local !== undefined && !sameFields(e, e.local)],
  ['is stored with two sizes', ({ method, packed, size }) => method === 0 && packed !== size],
  ['has an extra field that cannot be read', (e) => headersOf(e).some((h) => fieldsOf(h) === undefined)],
  ['has a name that is not UTF-8', ({ name }) => !isUtf8(name)],
  ['has a Unicode path field with another name', (e) => headersOf(e).some((h) => renames(h))],
  [
    'has an extra field that may make it another kind of file',
    (e) => headersOf(e).some((h) => [0x000d, 0x756e].some((id) => fieldOf(h, id) !== undefined)),
  ],
  ['is a symbolic link', (e) => typeOf(e) === 0o120000],
  ['is neither a file nor a folder', (e) => ![0, 0o100000, 0o040000, 0o120000].includes(typeOf(e))],
  [
    'is a folder by its mode and a file by its name',
    (e) => !e.path.endsWith('/') && (typeOf(e) === 0o040000 || (e.attributes & 0x10) !== 0),
  ],
  ['is a file by its mode and a folder by its name', (e) => e.path.endsWith('/') && typeOf(e) === 0o100000],
  ['is a folder and holds data', (e) => e.path.endsWith('/') && e.size > 0],
  [`unpacks to more than ${limitText(limits.bundleFileBytes)}`, ({ size }) => size > limits.bundleFileBytes],
]

/**
 * The two findings that are reported alone. If the bytes are no archive or too large, their headers are not checked.
 */
const notAnArchive = 'is not a zip archive, or it is cut off: it has no end record'
const tooLarge = `is larger than ${limitText(limits.bundleBytes)}`
export const overlapText = 'overlaps another entry'
const gapBefore = 'has bytes before it that belong to no entry'
const gapAfter = 'has bytes between its last entry and its directory'

interface ZipFinding {
  readonly entry?: ZipEntry
  readonly message: string
}

/** Finds everything that is wrong with an archive, from its headers alone. */
export function wrongWithLayout(layout: ZipLayout): ZipFinding[] {
  const { end, entries } = layout
  if (layout.bytes.length > limits.bundleBytes) return [{ message: tooLarge }]
  if (!end) return [{ message: notAnArchive }]
  const archive = archiveRules.filter(([, holds]) => holds({ ...layout, end })).map(([message]) => ({ message }))
  const each = entries.flatMap((entry) =>
    entryRules.filter(([, holds]) => holds(entry)).map(([message]) => ({ entry, message })),
  )
  return [...archive, ...each, ...wrongWithRanges(entries, end.directoryAt)]
}

/** Checks that the entries follow each other without gaps, from the first entry to the directory. */
function wrongWithRanges(entries: readonly ZipEntry[], directoryAt: number): ZipFinding[] {
  const findings: ZipFinding[] = []
  const placed = entries.filter((e) => e.local).sort((a, b) => a.start - b.start)
  let at = placed[0]?.start ?? directoryAt
  for (const entry of placed) {
    if (entry.start < at) findings.push({ entry, message: overlapText })
    if (entry.start > at) findings.push({ entry, message: gapBefore })
    at = Math.max(at, entry.end)
  }
  if (at < directoryAt) findings.push({ message: gapAfter })
  return findings
}

const typeOf = ({ attributes }: ZipEntry): number => (attributes >>> 16) & 0o170000
/** True if the mode of an entry lets its owner execute the file. */
export const isExecutable = ({ attributes }: ZipEntry): boolean => ((attributes >>> 16) & 0o100) !== 0

const isZip64 = ({ counts, directorySize, directoryAt }: EndRecord): boolean =>
  counts.includes(0xffff) || directorySize === 0xffffffff || directoryAt === 0xffffffff

const headersOf = (entry: ZipEntry): ZipHeader[] => (entry.local ? [entry, entry.local] : [entry])

/**
 * True if the local and the central header of an entry disagree on a number. If the entry has a data descriptor, the
 * local header may have 0 instead of the number.
 */
function hasDifferent(entry: ZipEntry, number: 'crc' | 'packed' | 'size'): boolean {
  if (!entry.local || entry.local[number] === entry[number]) return false
  return !(entry.descriptor !== 'none' && entry.local[number] === 0)
}

/** The maximum number of extra fields of an entry; tools write only a handful. */
const maxFields = 64
/**
 * Splits the extra data of a header into fields. Undefined if the fields do not fill the data exactly, or if there are
 * too many.
 */
function fieldsOf({ extra }: ZipHeader): { id: number; data: Uint8Array }[] | undefined {
  const fields: { id: number; data: Uint8Array }[] = []
  let at = 0
  while (at < extra.length) {
    if (at + 4 > extra.length || fields.length === maxFields) return undefined
    const next = at + 4 + uint16At(extra, at + 2)
    if (next > extra.length) return undefined
    fields.push({ id: uint16At(extra, at), data: extra.subarray(at + 4, next) })
    at = next
  }
  return fields
}
const fieldOf = (header: ZipHeader, id: number): Uint8Array | undefined =>
  fieldsOf(header)?.find((field) => field.id === id)?.data

/**
 * The extra fields with times and owners. Info-ZIP, 7-Zip and Java write more of them into one of the two headers of an
 * entry than into the other.
 */
const timesAndOwners = [0x000a, 0x5455, 0x5855, 0x7855, 0x7875]
/** True if both headers of an entry have the same extra fields, in any order, apart from times and owners. */
function sameFields(central: ZipHeader, local: ZipHeader): boolean {
  const [ours, theirs] = [central, local].map((header) =>
    (fieldsOf(header) ?? [])
      .filter(({ id }) => !timesAndOwners.includes(id))
      .map(({ id, data }) => `${id}:${Buffer.from(data).toString('latin1')}`)
      .sort(),
  ) as [string[], string[]]
  return ours.length === theirs.length && ours.every((field, i) => field === theirs[i])
}

const unicodePath = 0x7075
/**
 * True if an extra field gives the entry another name than its header. The field holds a version, the checksum of the
 * name in the header, and a name in UTF-8.
 */
function renames(header: ZipHeader): boolean {
  const fields = fieldsOf(header)?.filter(({ id }) => id === unicodePath) ?? []
  return fields.some(
    ({ data }) =>
      data[0] !== 1 || uint32At(data, 1) !== crc32(header.name) || !areSameBytes(data.subarray(5), header.name),
  )
}

const areSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
