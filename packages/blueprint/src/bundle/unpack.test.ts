import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { level } from '../../../../testing/level.ts'
import { bundleWith, manifestText } from '../../testing/hostile.ts'
import { extraField, type RawEntry, rawZip, unicodePath } from '../../testing/raw.ts'
import { readBundle } from './read.ts'
import { sweepStaging, unpackBundle } from './unpack.ts'

let root: string
let target: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-unpack-'))
  target = join(root, 'v1')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const entries: readonly RawEntry[] = [
  { name: 'run.sh', content: '#!/bin/sh\n', mode: 0o100755 },
  { name: 'docs/deep/a.txt', content: 'a'.repeat(200_000), pack: 'deflate' },
  { name: 'empty', content: '' },
  { name: 'hollow/' },
]
const good = bundleWith(entries)
const sha256 = createHash('sha256').update(good).digest('hex')

test('a bundle is read whole: manifest, checksum, files with size and mode', async () => {
  expect(await readBundle(good)).toMatchObject({
    ok: true,
    value: {
      sha256,
      manifest: { name: 'mail-triage', version: '1.4.0' },
      entries: [
        { path: 'svc.agent.yaml', executable: false },
        { path: 'run.sh', size: 10, executable: true },
        { path: 'docs/deep/a.txt', size: 200_000, executable: false },
        { path: 'empty', size: 0, executable: false },
      ],
    },
  })
})

test('unpacking gives what was packed, empty folders too, and nothing else', async () => {
  expect(await unpackBundle(good, target)).toEqual(await readBundle(good))
  expect(readdirSync(root)).toEqual(['v1'])
  expect(readdirSync(target, { recursive: true }).sort()).toEqual(
    ['docs', 'docs/deep', 'docs/deep/a.txt', 'empty', 'hollow', 'run.sh', 'svc.agent.yaml'].sort(),
  )
  expect(readFileSync(join(target, 'docs/deep/a.txt'), 'utf8')).toBe('a'.repeat(200_000))
})

test.each([
  ['a plain file', 0o100644, 0o644],
  ['a file that everybody may write', 0o100666, 0o644],
  ['a file that nobody may read', 0o100000, 0o644],
  ['an executable', 0o100700, 0o755],
  ['a file that would run as its owner', 0o104755, 0o755],
  ['a file that would run as its group, with the sticky bit', 0o103755, 0o755],
  ['a file from a system without modes', 0, 0o644],
])('modes are reduced to two (D49): %s', async (_what, mode, becomes) => {
  await unpackBundle(bundleWith([{ name: 'x', content: 'x', mode }]), target)
  expect(lstatSync(join(target, 'x')).mode & 0o7777).toBe(becomes)
  expect(lstatSync(target).mode & 0o7777).toBe(0o755)
})

describe('a bundle that is not the one asked for is refused', () => {
  test.each([
    ['another version', { version: '1.4.1' }, 'svc.agent.yaml:2:10: is version 1.4.0, and 1.4.1 was asked for'],
    [
      'another build of the version',
      { version: '1.4.0+b' },
      'svc.agent.yaml:2:10: is version 1.4.0, and 1.4.0+b was asked for',
    ],
    ['another blueprint', { name: 'other' }, 'svc.agent.yaml:1:7: is of "mail-triage", and "other" was asked for'],
    [
      'another checksum',
      { sha256: '0'.repeat(64) },
      `The bundle has the checksum ${sha256}, and ${'0'.repeat(64)} was asked for`,
    ],
  ])('%s', async (_what, expected, message) => {
    expect(await unpackBundle(good, target, { expected })).toMatchObject({ ok: false, code: 'bundle_refused', message })
    expect(readdirSync(root)).toEqual([])
  })
  test('a bundle that is the one asked for is accepted', async () => {
    const expected = { name: 'mail-triage', version: '1.4.0', sha256 }
    expect(await unpackBundle(good, target, { expected })).toMatchObject({ ok: true })
  })
})

describe('an existing target is left as it is', () => {
  test.each([
    ['a folder', () => mkdirSync(target)],
    ['a file', () => writeFileSync(target, 'mine')],
    ['a link that leads nowhere', () => symlinkSync('/nowhere', target)],
  ])('%s', async (_what, take) => {
    take()
    expect(await unpackBundle(good, target)).toMatchObject({ ok: false, code: 'folder_taken' })
    expect(readdirSync(root)).toEqual(['v1'])
    expect(existsSync('/nowhere')).toBe(false)
  })
  test('a missing parent folder is a fault of the machine, not of the bundle', async () => {
    expect(await unpackBundle(good, join(root, 'none/v1'))).toMatchObject({ ok: false, code: 'disk_failed' })
    expect(readdirSync(root)).toEqual([])
  })
})

test('what a killed unpacking left is swept, and nothing else', () => {
  for (const name of ['.v1.0123456789ab.staging', 'v1', '.v1.staging', 'keep.0123456789ab.staging'])
    mkdirSync(join(root, name))
  expect(sweepStaging(root)).toEqual(['.v1.0123456789ab.staging'])
  expect(readdirSync(root).sort()).toEqual(['.v1.staging', 'keep.0123456789ab.staging', 'v1'])
  expect(sweepStaging(join(root, 'none'))).toEqual([])
})

test('all findings are listed at once, each with its file, and the sentence names the first', async () => {
  const bad = rawZip([
    { name: 'svc.agent.yaml', content: 'name: A\nversion: 1\nruntime: { kind: process, command: [x] }\n' },
    { name: 'docs/../x', content: 'x' },
    { name: 'crc', content: 'x', both: { crc: 1 } },
  ])
  const read = await readBundle(bad)
  expect(read).toMatchObject({ ok: false, message: 'docs/../x: climbs with ".." (and 3 more)' })
  expect(read.ok ? [] : read.findings.map(({ file, line }) => `${file}:${line}`)).toEqual([
    'docs/../x:undefined',
    'crc:undefined',
    'svc.agent.yaml:1',
    'svc.agent.yaml:2',
  ])
})

test('names in a refusal cannot control a terminal, and a thousand findings are cut', async () => {
  const read = await readBundle(
    bundleWith(Array.from({ length: 1000 }, (_, i) => ({ name: `\x1b[2J\u202e${i}`, content: '' }))),
  )
  expect(read.ok ? '' : read.message).toBe('[2J0: holds a control character (and 100 more)')
  expect(read.ok ? [] : read.findings.at(-1)).toEqual({ file: '', message: 'has 1900 more findings' })
})

test.each<[string, RawEntry]>([
  ['a time stamp of Info-ZIP', { name: 'x', content: 'x', both: { extra: extraField(0x5455, Buffer.alloc(5)) } }],
  [
    'times of Info-ZIP, longer in the local header',
    {
      name: 'x',
      content: 'x',
      local: { extra: extraField(0x5455, Buffer.alloc(9)) },
      central: { extra: extraField(0x5455, Buffer.alloc(5)) },
    },
  ],
  ['a descriptor after no data', { name: 'x', content: '', descriptor: 'signed' }],
  ['a descriptor with its signature', { name: 'x', content: 'x', pack: 'deflate', descriptor: 'signed' }],
  ['a descriptor without its signature', { name: 'x', content: 'x', pack: 'deflate', descriptor: 'plain' }],
  ['a UTF-8 name that is not marked as one', { name: 'é', content: 'x', both: { flags: 0 } }],
  ['a Unicode path that says the same', { name: 'é', content: 'x', both: { flags: 0, extra: unicodePath('é', 'é') } }],
  ['dots that are not segments', { name: '..a/b..c/.d', content: 'x' }],
  ['a folder below the root that is called .svc', { name: 'a/.svc/x', content: 'x' }],
  ['an archive stored in it', { name: 'x.zip', content: good }],
  ['an empty file, deflated', { name: 'x', content: '', pack: 'deflate' }],
])('archives of honest tools are accepted: %s', async (_what, entry) => {
  expect(await unpackBundle(bundleWith([entry], { comment: Buffer.from('by a tool') }), target)).toMatchObject({
    ok: true,
  })
  expect(lstatSync(join(target, Buffer.from(entry.name).toString())).isFile()).toBe(true)
})

const MB = 1024 * 1024
test.skipIf(level === 'short').each<[string, RawEntry[]]>([
  [
    '5000 entries',
    Array.from({ length: 4999 }, (_, i) => ({ name: `d${i % 9}/f${i}`, content: `${i}`, pack: 'deflate' })),
  ],
  ['5000 entries in one folder', Array.from({ length: 4999 }, (_, i) => ({ name: `d/f${i}`, content: '' }))],
  ['5000 folders', Array.from({ length: 4900 }, (_, i) => ({ name: i < 100 ? `${i}/x/f` : `${i}/f`, content: '' }))],
  ['a file of 50 MB', [{ name: 'x', content: Buffer.alloc(50 * MB), pack: 'deflate' }]],
  [
    '100 MB in all',
    [Buffer.alloc(50 * MB), Buffer.alloc(50 * MB - Buffer.byteLength(manifestText))].map((content, i) => ({
      name: `x${i}`,
      content,
      pack: 'deflate',
    })),
  ],
])(
  'a bundle at the limits is accepted and blocks nobody for long (4): %s',
  { timeout: 300_000 },
  async (_what, entries) => {
    const bytes = bundleWith(entries)
    let turns = 0
    let reading = true
    // A timer leaves the processor to the threads that unpack.
    const turn = () => {
      turns++
      if (reading) setTimeout(turn, 1)
    }
    setTimeout(turn, 1)
    const read = await readBundle(bytes)
    reading = false
    expect(read.ok ? '' : read.message).toBe('')
    expect(turns).toBeGreaterThan(20)
  },
)

test('one byte more than 100 MB in all is too much, whatever the headers say', async () => {
  const part = 50 * MB - Buffer.byteLength(manifestText) + 1
  const entries = [50 * MB, part].map(
    (size, i): RawEntry => ({ name: `x${i}`, content: Buffer.alloc(size), pack: 'deflate' }),
  )
  const read = await readBundle(bundleWith(entries))
  expect(read.ok ? '' : read.message).toMatch(
    /The bundle unpacks to more than 100 MB|x1: is where the bundle unpacks to more than 100 MB/,
  )
})
