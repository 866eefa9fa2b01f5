/**
 * Bundles that must be refused, each with the entry and the rule that the refusal must name. The tests of the service
 * and of the runtime use the same bundles.
 */
import { deflateRawSync } from 'node:zlib'
import { endOf, extraField, type RawArchive, type RawEntry, rawZip, unicodePath } from './raw.ts'

export interface Hostile {
  /** A description of the bundle, used as the name of its test. */
  readonly what: string
  readonly bytes: () => Uint8Array
  /** The entry that the finding must name. It is empty if the finding is about the bundle as a whole. */
  readonly file: string
  /** The message of the finding, or the beginning of the message. */
  readonly says: string
}

export const manifestText = 'name: mail-triage\nversion: 1.4.0\nruntime: { kind: process, command: [sh, run.sh] }\n'
export const manifestEntry: RawEntry = { name: 'svc.agent.yaml', content: manifestText }
const MB = 1024 * 1024

/** Builds a bundle with a valid manifest and the given entries. `archive` overrides parts of the archive. */
export const bundleWith = (entries: readonly RawEntry[], archive: RawArchive = {}): Buffer =>
  rawZip([manifestEntry, ...entries], archive)

const withEntry = (what: string, says: string, entry: RawEntry, file = String(Buffer.from(entry.name))): Hostile => ({
  what,
  says,
  file,
  bytes: () => bundleWith([entry]),
})
const withName = (says: string, ...names: readonly string[]): Hostile[] =>
  names.map((name) => withEntry(`the name ${JSON.stringify(name)}`, says, { name, content: 'x' }))
const withNames = (says: string, file: string, ...names: readonly string[]): Hostile => ({
  what: names.map((name) => JSON.stringify(name)).join(' and '),
  says,
  file,
  bytes: () => bundleWith(names.map((name) => ({ name, ...(!name.endsWith('/') && { content: 'x' }) }))),
})
const withArchive = (what: string, says: string, bytes: () => Uint8Array, file = ''): Hostile => ({
  what,
  says,
  file,
  bytes,
})
const withManifest = (what: string, says: string, content: string): Hostile => ({
  what,
  says,
  file: 'svc.agent.yaml',
  bytes: () => rawZip([{ name: 'svc.agent.yaml', content }]),
})

const names: readonly Hostile[] = [
  withEntry('an empty name', 'has an entry without a name', { name: '', content: 'x', mode: 0 }),
  ...withName('holds a NUL', 'a\0b', 'run.sh\0.txt'),
  ...withName('holds a backslash', 'a\\b', '..\\..\\evil'),
  ...withName('is an absolute path', '/tmp/svc-evil', '//server/share'),
  ...withName('begins with a drive letter', 'C:evil', 'c:/evil'),
  ...withName('climbs with ".."', '../evil', '../../evil', 'docs/../../evil', 'docs/..'),
  ...withName('holds "." or an empty segment', './x', 'a//b', 'a/./b', '.'),
  ...withName(
    'is in .svc',
    '.svc/agent.env',
    '.svc',
    '.SVC/x',
    '.Svc/journal/commands.json',
    '.\u017fvc/x',
    '.s\u200cvc/x',
  ),
  ...withName('holds a control character', 'a\nb', 'a\x1b[31mb', 'a\u0085b', 'a\u2028b'),
  ...withName('holds a character that reverses the direction of text', 'gpj.\u202eexe'),
  ...withName('is not in Unicode form NFC', 'cafe\u0301'),
  ...withName('holds a segment that ends in a dot or a space', 'a.', 'a ', 'a. /b', 'a/.../b'),
  ...withName('holds a segment of more than 255 bytes', 'a'.repeat(256), `${'\u00e9'.repeat(128)}/b`),
  ...withName('is nested more than 64 folders deep', `${'a/'.repeat(65)}b`),
  ...withName('is longer than 1024 bytes', `${'a/'.repeat(512)}b`),
  withEntry('a name that is not UTF-8', 'has a name that is not UTF-8', {
    name: Buffer.from([0x61, 0xe9]),
    content: 'x',
  }),
  withEntry('a name in overlong UTF-8', 'has a name that is not UTF-8', {
    name: Buffer.from([0x2e, 0x2e, 0xc0, 0xaf, 0x78]),
  }),
  withNames('appears twice', 'a', 'a', 'a'),
  withNames('appears twice', 'docs/', 'docs/', 'docs/'),
  withNames('appears twice', 'svc.agent.yaml', 'svc.agent.yaml'),
  withNames('appears twice for file systems', 'README', 'readme', 'README'),
  withNames('appears twice for file systems', 'SVC.agent.yaml', 'SVC.agent.yaml'),
  withNames('appears twice for file systems', 'STRASSE', 'stra\u00dfe', 'STRASSE'),
  withNames('needs "a" as a folder', 'a/b', 'a', 'a/b'),
  withNames('needs "a" as a folder', 'a/b', 'a/b', 'a'),
  withNames('needs "a/b" as a folder', 'a/B/c/d', 'a/b', 'a/B/c/d'),
  withNames('appears twice', 'a/', 'a', 'a/'),
  withNames('is in "Docs"', 'Docs/b', 'docs/a', 'Docs/b'),
]

const kinds: readonly Hostile[] = [
  withEntry('a symbolic link', 'is a symbolic link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }),
  withEntry('a symbolic link made by DOS', 'is a symbolic link', {
    name: 'link',
    content: '/etc',
    mode: 0o120777,
    madeBy: 0,
  }),
  ...(
    [
      ['a block device', 0o060644],
      ['a character device', 0o020644],
      ['a pipe', 0o010644],
      ['a socket', 0o140644],
    ] as const
  ).map(([what, mode]) => withEntry(what, 'is neither a file nor a folder', { name: 'x', mode })),
  withEntry('a folder without a slash', 'is a folder by its mode', { name: 'docs', mode: 0o040755 }),
  withEntry('a folder without a slash, by DOS', 'is a folder by its mode', { name: 'docs', mode: 0, dos: 0x10 }),
  withEntry('a file with a slash', 'is a file by its mode', { name: 'docs/', mode: 0o100644 }),
  withEntry('a folder with data', 'is a folder and holds data', { name: 'docs/', content: 'x', mode: 0o040755 }),
  withEntry('a field with another type', 'has an extra field that may make it another kind', {
    name: 'x',
    both: { extra: extraField(0x756e, Buffer.alloc(14)) },
  }),
]

const headers: readonly Hostile[] = [
  withEntry('encryption', 'is encrypted', { name: 'x', content: 'x', both: { flags: 1 } }),
  withEntry('strong encryption', 'is encrypted', { name: 'x', content: 'x', both: { flags: 0x41 } }),
  withEntry('encryption in the local header only', 'is encrypted', { name: 'x', content: 'x', local: { flags: 1 } }),
  withEntry('masked headers', 'is encrypted', { name: 'x', content: 'x', both: { flags: 0x2000 } }),
  ...(
    [
      ['bzip2', 12],
      ['LZMA', 14],
      ['deflate64', 9],
      ['zstd', 93],
      ['AES', 99],
    ] as const
  ).map(([what, method]) =>
    withEntry(what, 'is neither stored nor deflated', { name: 'x', content: 'x', both: { method } }),
  ),
  withEntry('patched data', 'has flags that a bundle may not have', { name: 'x', content: 'x', both: { flags: 0x20 } }),
  withEntry('a zip64 field', 'is zip64', {
    name: 'x',
    content: 'x',
    central: { extra: extraField(1, Buffer.alloc(16)) },
  }),
  withEntry('a zip64 field in the local header', 'is zip64', {
    name: 'x',
    content: 'x',
    local: { extra: extraField(1, Buffer.alloc(16)) },
  }),
  withEntry('a zip64 size', 'is zip64', { name: 'x', content: 'x', central: { size: 0xffffffff } }),
  withEntry('another disk', 'is on another disk', { name: 'x', content: 'x', disk: 1 }),
  withEntry('another local name', 'has another name in its local header', {
    name: 'safe',
    content: 'x',
    local: { name: Buffer.from('evil') },
  }),
  withEntry('a climbing local name', 'has another name in its local header', {
    name: 'aaaaaaa',
    content: 'x',
    local: { name: Buffer.from('../evil') },
  }),
  withEntry('another local method', 'has another method in its local header', {
    name: 'x',
    content: 'x',
    local: { method: 8 },
  }),
  withEntry('other local flags', 'has other flags in its local header', {
    name: 'x',
    content: 'x',
    local: { flags: 0x800 },
  }),
  withEntry('another local time', 'has another time in its local header', {
    name: 'x',
    content: 'x',
    local: { time: 7 },
  }),
  withEntry('another local checksum', 'has another checksum in its local header', {
    name: 'x',
    content: 'x',
    local: { crc: 7 },
  }),
  withEntry('another local size', 'has other sizes in its local header', {
    name: 'x',
    content: 'x',
    pack: 'deflate',
    local: { size: 2 },
  }),
  withEntry('another local packed size', 'has other sizes in its local header', {
    name: 'x',
    content: 'x',
    local: { packed: 2 },
  }),
  withEntry('no local sizes and no descriptor', 'has other sizes in its local header', {
    name: 'x',
    content: 'x',
    local: { packed: 0, size: 0 },
  }),
  withEntry('a descriptor behind stored data', 'is stored, and has a descriptor', {
    name: 'x',
    content: 'x',
    descriptor: 'signed',
  }),
  withEntry('an extra field in one header', 'has other extra fields in its local header', {
    name: 'x',
    content: 'x',
    local: { extra: extraField(0xcafe, Buffer.alloc(0)) },
  }),
  withEntry('an extra field with other content', 'has other extra fields in its local header', {
    name: 'x',
    content: 'x',
    local: { extra: extraField(0x9901, Buffer.from('a')) },
    central: { extra: extraField(0x9901, Buffer.from('b')) },
  }),
  withEntry('a lying descriptor', 'has no descriptor behind its data', {
    name: 'x',
    content: 'x',
    descriptor: Buffer.from('PK\x07\x08ABCDEFGHIJKL', 'latin1'),
  }),
  withEntry('a missing descriptor', 'has no descriptor behind its data', {
    name: 'x',
    content: 'x',
    both: { flags: 8 },
  }),
  withEntry('a local header that is none', 'has no local header', { name: 'x', content: 'x', start: 3 }),
  withEntry('a local header past the file', 'has no local header', { name: 'x', content: 'x', start: 0x7fffffff }),
  withEntry('data past the file', 'has no local header', {
    name: 'x',
    content: 'x',
    both: { packed: 9999, size: 9999 },
  }),
  withEntry('an extra field cut off', 'has an extra field that cannot be read', {
    name: 'x',
    content: 'x',
    both: { extra: Buffer.from([1, 2, 200, 0, 5]) },
  }),
  withEntry('an extra field with a rest', 'has an extra field that cannot be read', {
    name: 'x',
    content: 'x',
    local: { extra: Buffer.from([0, 0]) },
  }),
  withEntry('a Unicode path that climbs', 'has a Unicode path field with another name', {
    name: 'x',
    content: 'x',
    both: { extra: unicodePath('x', '../evil') },
  }),
  withEntry('a Unicode path in the local header only', 'has a Unicode path field with another name', {
    name: 'x',
    content: 'x',
    local: { extra: unicodePath('x', '.svc/agent.env') },
  }),
  withEntry('a second Unicode path', 'has a Unicode path field with another name', {
    name: 'x',
    content: 'x',
    both: { extra: Buffer.concat([unicodePath('x', 'x'), unicodePath('x', 'y')]) },
  }),
  withEntry('a stored entry with two sizes', 'is stored with two sizes', {
    name: 'x',
    content: 'xyz',
    both: { size: 2 },
  }),
]

const contents: readonly Hostile[] = [
  withEntry('a wrong checksum', 'does not match its checksum', { name: 'x', content: 'x', both: { crc: 7 } }),
  withEntry('a wrong checksum, deflated', 'does not match its checksum', {
    name: 'x',
    content: 'xyz',
    pack: 'deflate',
    both: { crc: 7 },
  }),
  withEntry('a size that is too small', 'unpacks to more than its headers say', {
    name: 'x',
    content: 'x'.repeat(1000),
    pack: 'deflate',
    both: { size: 10 },
  }),
  withEntry('a size that is too large', 'unpacks to less than its headers say', {
    name: 'x',
    content: 'x',
    pack: 'deflate',
    both: { size: 10 },
  }),
  withEntry('no deflate data', 'cannot be unpacked', {
    name: 'x',
    content: 'xy',
    pack: Buffer.from([0xff, 0xff, 0xff]),
  }),
  withEntry('deflate data cut off', 'cannot be unpacked', {
    name: 'x',
    content: 'x'.repeat(1000),
    pack: deflateRawSync(Buffer.from('x'.repeat(1000))).subarray(0, 3),
  }),
  withEntry('bytes hidden behind the deflate data', 'has bytes behind the end of its packed data', {
    name: 'x',
    content: 'x',
    pack: Buffer.concat([deflateRawSync(Buffer.from('x')), Buffer.from('hidden')]),
  }),
]

const bombs: readonly Hostile[] = [
  withArchive(
    'names of 64 KB, each of 32,000 folders',
    'is longer than 1024 bytes',
    () => bundleWith(Array.from({ length: 150 }, (_, i) => ({ name: `${i}/${'a/'.repeat(32_000)}b` }))),
    `0/${'a/'.repeat(32_000)}b`,
  ),
  withArchive('5000 names of 64 folders each', 'has bytes after its end record', () =>
    bundleWith(deep(4999), { after: Buffer.from('x') }),
  ),
  withArchive(
    '20 MB of extra fields',
    'has an extra field that cannot be read',
    () => bundleWith(Array.from({ length: 150 }, (_, i) => ({ name: `f${i}`, both: { extra: Buffer.alloc(65_532) } }))),
    'f0',
  ),
  withArchive(
    'a file of 60 MB whose header says so',
    'unpacks to more than 50 MB',
    () => bundleWith([zeros('x', 60 * MB)]),
    'x',
  ),
  withArchive(
    'a file of 60 MB whose header says 1 byte',
    'unpacks to more than its headers say',
    () => bundleWith([{ ...zeros('x', 60 * MB), both: { size: 1, crc: 0 } }]),
    'x',
  ),
  withArchive('three files of 40 MB', 'unpacks to more than 100 MB', () =>
    bundleWith(['x', 'y', 'z'].map((name) => zeros(name, 40 * MB))),
  ),
  withArchive(
    'entries that share their data',
    'overlaps another entry',
    () => {
      const shared = zeros('x', 40 * MB)
      return bundleWith([shared, ...[1, 2, 3].map((i) => ({ ...shared, name: `x${i}`, sharesLocalOf: 1 }))])
    },
    'x1',
  ),
  withArchive('entries that lie in one another', 'overlaps another entry', nested, 'b'),
  withArchive('4990 empty files, each below 63 folders of its own', 'has more than 5000 folders', () =>
    bundleWith(Array.from({ length: 4990 }, (_, i) => ({ name: `${`${i}/`.repeat(63)}f`, content: '' }))),
  ),
  withArchive('5001 folders that only paths name', 'has more than 5000 folders', () =>
    bundleWith(Array.from({ length: 4900 }, (_, i) => ({ name: i < 101 ? `${i}/x/f` : `${i}/f`, content: '' }))),
  ),
  withArchive('4900 listed folders and 101 implied ones', 'has more than 5000 folders', () =>
    bundleWith([
      ...Array.from({ length: 4900 }, (_, i) => ({ name: `listed${i}/` })),
      ...Array.from({ length: 50 }, (_, i) => ({ name: `${i}/implied/f`, content: '' })),
      { name: 'one/more', content: '' },
    ]),
  ),
  withArchive('5001 entries', 'has more than 5000 entries', () => rawZip([manifestEntry, ...many(5000)])),
  withArchive('an end record that says 5001', 'has more than 5000 entries', () =>
    bundleWith([], { end: { here: 5001, all: 5001 } }),
  ),
  withArchive('20 MB and a byte', 'is larger than 20 MB', () => Buffer.alloc(20 * MB + 1)),
]

const packedZeros = new Map<number, Pick<RawEntry, 'content' | 'pack'>>()
/**
 * Makes an entry whose content is `size` zeros. The compressed content is kept for later calls, since compressing takes
 * a third of a second.
 */
function zeros(name: string, size: number): RawEntry {
  const packed = packedZeros.get(size) ?? packZeros(Buffer.alloc(size))
  packedZeros.set(size, packed)
  return { name, ...packed }
}
const packZeros = (content: Buffer) => ({ content, pack: deflateRawSync(content) })

/** Makes entries that are nested in 64 folders each, and share none of these folders. */
const deep = (count: number): RawEntry[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `${Array.from({ length: 64 }, (_, n) => `${n}-${i}`).join('/')}/x`,
  }))
const many = (count: number): RawEntry[] => Array.from({ length: count }, (_, i) => ({ name: `f${i}` }))

/** Builds a bundle in which the data of the first entry consists of the header and the data of the second entry. */
function nested(): Uint8Array {
  const inner = rawZip([{ name: 'b', content: 'x' }])
  const part = inner.subarray(0, 32)
  const start = bundleWith([]).indexOf('PK\x01\x02', 0, 'latin1') + 31
  return bundleWith([
    { name: 'a', content: part },
    { name: 'b', content: 'x', sharesLocalOf: 0, start },
  ])
}

const end = { disk: 0, firstDisk: 0, here: 1, all: 1, directorySize: 60, directoryAt: 0, commentSize: 0 }
const archives: readonly Hostile[] = [
  withArchive('no bytes at all', 'is not a zip archive', () => new Uint8Array(0)),
  withArchive('a text', 'is not a zip archive', () => Buffer.from('#!/bin/sh\nexit 0\n'.repeat(9))),
  withArchive('an archive without its last byte', 'is not a zip archive', () => bundleWith([]).subarray(0, -1)),
  withArchive('an archive cut in its comment', 'is cut off in the comment', () =>
    bundleWith([], { comment: Buffer.from('hello') }).subarray(0, -2),
  ),
  withArchive('junk at the end', 'has bytes after its end record', () =>
    bundleWith([], { after: Buffer.from('junk') }),
  ),
  withArchive('a second archive at the end', 'has bytes between', () =>
    Buffer.concat([bundleWith([]), bundleWith([])]),
  ),
  withArchive('a comment that is an end record', 'has a second end record', () =>
    bundleWith([], { comment: endOf(end) }),
  ),
  withArchive('a comment with an end record in it', 'has bytes after its end record', () =>
    bundleWith([], { comment: Buffer.concat([Buffer.from('a'), endOf(end), Buffer.from('b')]) }),
  ),
  withArchive('an entry that holds an end record which reaches the end', 'has a second end record', secondEnd),
  withArchive('junk before, offsets counted from the file', 'has bytes before its first entry', () =>
    bundleWith([], { before: Buffer.from('#!/bin/sh\n') }),
  ),
  withArchive('junk before, offsets counted from the archive', 'has a directory of another size', () =>
    bundleWith([], { before: Buffer.from('#!/bin/sh\n'), relative: true }),
  ),
  withArchive(
    'junk between entries',
    'has bytes before it that belong to no entry',
    () => bundleWith([{ name: 'x', content: 'x', before: Buffer.from('junk') }]),
    'x',
  ),
  withArchive('an entry that the directory hides', 'has bytes between its last entry', () => hidden()),
  withArchive('junk before the directory', 'has bytes between its last entry', () =>
    bundleWith([], { beforeDirectory: Buffer.from('junk') }),
  ),
  withArchive('junk behind the directory', 'has bytes between its directory', () =>
    bundleWith([], { afterDirectory: Buffer.from('junk') }),
  ),
  withArchive('a zip64 locator', 'is zip64', () =>
    bundleWith([], { afterDirectory: Buffer.concat([Buffer.from('PK\x06\x07', 'latin1'), Buffer.alloc(16)]) }),
  ),
  withArchive('a zip64 count', 'is zip64', () => bundleWith([], { end: { here: 0xffff, all: 0xffff } })),
  withArchive('a zip64 place', 'is zip64', () => bundleWith([], { end: { directoryAt: 0xffffffff } })),
  withArchive('several disks', 'is split over several disks', () => bundleWith([], { end: { disk: 1, firstDisk: 1 } })),
  withArchive('two counts', 'is split over several disks', () => bundleWith([{ name: 'x' }], { end: { here: 1 } })),
  withArchive('a count that is too small', 'has another number of entries', () =>
    bundleWith([{ name: 'x' }], { end: { here: 1, all: 1 } }),
  ),
  withArchive('a count that is too large', 'has another number of entries', () =>
    bundleWith([], { end: { here: 2, all: 2 } }),
  ),
  withArchive('another size of the directory', 'has a directory of another size', () =>
    bundleWith([], { end: { directorySize: 59 } }),
  ),
  withArchive('another place of the directory', 'has a directory of another size', () =>
    bundleWith([], { end: { directoryAt: 1 } }),
  ),
]

function secondEnd(): Uint8Array {
  const make = (commentSize: number) => bundleWith([{ name: 'x', content: endOf({ ...end, commentSize }) }])
  const bytes = make(0)
  return make(bytes.length - bytes.indexOf('PK\x05\x06', 0, 'latin1') - 22)
}
/** Builds a bundle with the local header and data of an entry that the directory does not list. */
function hidden(): Uint8Array {
  const evil = rawZip([{ name: '../evil', content: 'x' }])
  return bundleWith([], { beforeDirectory: evil.subarray(0, evil.indexOf('PK\x01\x02', 0, 'latin1')) })
}

const manifests: readonly Hostile[] = [
  withArchive('an empty archive', 'is missing', () => rawZip([]), 'svc.agent.yaml'),
  withArchive(
    'a manifest in a folder',
    'is missing',
    () => rawZip([{ ...manifestEntry, name: 'mail/svc.agent.yaml' }]),
    'svc.agent.yaml',
  ),
  withManifest('a manifest that is no YAML', 'This is not YAML', 'name: [\n'),
  withManifest('a manifest with an unknown key', 'There is no key "nmae"', `${manifestText}nmae: x\n`),
  withManifest('a manifest with an alias', 'Aliases are not allowed', 'name: &a x\nversion: *a\n'),
  withManifest(
    'a manifest of 65 KB',
    'The manifest must be at most 64 KB',
    `${manifestText}# ${'x'.repeat(65 * 1024)}\n`,
  ),
  withManifest('a manifest without a runtime', 'The manifest must name "runtime"', 'name: a\nversion: 1.0.0\n'),
  withManifest('no instructions', 'names "AGENT.md", which is missing', `${manifestText}instructions: AGENT.md\n`),
  withManifest('no tool servers', 'names "mcp.json", which is missing', `${manifestText}mcp: mcp.json\n`),
  withManifest(
    'no compose file',
    'names "compose.yaml", which is missing',
    'name: a\nversion: 1.0.0\nruntime: { kind: compose, files: [compose.yaml] }\n',
  ),
  withManifest(
    'the manifest as state',
    'keeps the manifest itself as state',
    `${manifestText}state: [svc.agent.yaml]\n`,
  ),
  withArchive(
    'instructions that are a folder',
    'names "AGENT.md", which is missing',
    () =>
      rawZip([{ name: 'svc.agent.yaml', content: `${manifestText}instructions: AGENT.md\n` }, { name: 'AGENT.md/' }]),
    'svc.agent.yaml',
  ),
  withArchive(
    'a file where state is written as a folder',
    'keeps "run.sh/" as a folder, and "run.sh" is a file',
    () => rawZip([{ name: 'svc.agent.yaml', content: `${manifestText}state: [run.sh/]\n` }, { name: 'run.sh' }]),
    'svc.agent.yaml',
  ),
  withArchive(
    'a file where state needs a folder',
    'keeps "run.sh/x" as state',
    () => rawZip([{ name: 'svc.agent.yaml', content: `${manifestText}state: [run.sh/x]\n` }, { name: 'run.sh' }]),
    'svc.agent.yaml',
  ),
]

export const hostile: readonly Hostile[] = [
  ...names,
  ...kinds,
  ...headers,
  ...contents,
  ...bombs,
  ...archives,
  ...manifests,
]
