/** Makes damaged bundles: takes a valid bundle and changes bytes or header fields. A seed determines the changes. */
import { extraField, type Numbers, type RawArchive, type RawEntry, rawZip, unicodePath } from './raw.ts'

export type Random = () => number

/**
 * A small random number generator (mulberry32). The same seed gives the same faults, so that a failure can be repeated.
 */
export function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
const upTo = (random: Random, n: number): number => Math.floor(random() * n)
const pick = <T>(random: Random, from: readonly T[]): T => from[upTo(random, from.length)] as T

const manifest =
  'name: mail-triage\nversion: 1.4.0\ninstructions: docs/AGENT.md\nruntime: { kind: process, command: [sh, run.sh] }\n'
const entriesOfGood: readonly RawEntry[] = [
  { name: 'svc.agent.yaml', content: manifest, pack: 'deflate' },
  { name: 'docs/' },
  { name: 'docs/AGENT.md', content: 'Sort the mail. '.repeat(40), pack: 'deflate', descriptor: 'signed' },
  {
    name: 'docs/\u00e9t\u00e9.txt',
    content: 'x',
    both: { extra: unicodePath('docs/\u00e9t\u00e9.txt', 'docs/\u00e9t\u00e9.txt') },
  },
  { name: 'run.sh', content: 'exec sleep 9\n', mode: 0o100755, both: { extra: extraField(0x5455, Buffer.alloc(5)) } },
]
const comment = Buffer.from('58b92c8d1f')
export const good: Buffer = rawZip(entriesOfGood, { comment })

export function mutatedBundle(seed: number): Uint8Array {
  const random = randomOf(seed)
  if (random() < 0.5) return inBytes(good, random)
  const lying = rawZip(lyingEntries(random), { comment, ...(random() < 0.2 && { end: lyingEnd(random) }) })
  return random() < 0.2 ? inBytes(lying, random) : lying
}

function inBytes(bytes: Buffer, random: Random): Uint8Array {
  let out: Buffer = Buffer.from(bytes)
  for (let n = 1 + upTo(random, 3); n > 0; n--) out = pick(random, faults)(out, random)
  return out
}

const faults: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  (b, r) => writeAt(b, upTo(r, b.length), [upTo(r, 256)]),
  (b, r) => writeAt(b, upTo(r, b.length), [(b[0] ?? 0) ^ (1 << upTo(r, 8))]),
  (b, r) => b.subarray(0, upTo(r, b.length)),
  (b, r) => {
    const [from, to] = range(b, r)
    return Buffer.concat([b.subarray(0, from), b.subarray(to)])
  },
  (b, r) => {
    const [from, to] = range(b, r)
    return Buffer.concat([b.subarray(0, to), b.subarray(from)])
  },
  (b, r) => {
    const at = headerAt(b, r)
    return writeAt(b, at + upTo(r, 46), [upTo(r, 256)])
  },
  (b, r) => {
    const at = headerAt(b, r) + 4 + 2 * upTo(r, 21)
    return writeAt(
      b,
      at,
      pick(r, [
        [0, 0],
        [255, 255],
        [1, 0],
        [8, 0],
        [0, 0x80],
        [255, 255, 255, 255],
        [0, 0, 0, 0],
      ]),
    )
  },
]

function writeAt(bytes: Buffer, at: number, values: readonly number[]): Buffer {
  for (const [i, value] of values.entries()) if (at + i < bytes.length) bytes[at + i] = value
  return bytes
}
function range(bytes: Buffer, random: Random): [number, number] {
  const from = upTo(random, bytes.length)
  return [from, Math.min(bytes.length, from + 1 + upTo(random, 64))]
}
function headerAt(bytes: Buffer, random: Random): number {
  const places: number[] = []
  for (let at = bytes.indexOf('PK', 0, 'latin1'); at >= 0; at = bytes.indexOf('PK', at + 1, 'latin1')) places.push(at)
  return places.length > 0 ? pick(random, places) : 0
}

const names = [
  '../x',
  '/x',
  'a\\b',
  '.svc/x',
  'a',
  'A',
  'docs',
  'docs/',
  'docs/AGENT.md/x',
  'svc.agent.yaml',
  '',
  'a\0',
  '.',
  'e\u0301',
  'run.sh ',
  'C:x',
  'new',
]

function lyingEntries(random: Random): RawEntry[] {
  const entries = entriesOfGood.map((e) => ({ ...e }))
  for (let n = 1 + upTo(random, 2); n > 0; n--) {
    const i = upTo(random, entries.length)
    const entry = entries[i] as RawEntry
    const part = pick(random, ['both', 'local', 'central'] as const)
    const kind = upTo(random, 8)
    if (kind === 0) entries.push({ name: pick(random, names), content: 'x' })
    else if (kind === 1) entries[i] = { ...entry, name: pick(random, names) }
    else if (kind === 2)
      entries[i] = { ...entry, mode: pick(random, [0, 0o120777, 0o040755, 0o020644, 0o104755, 0o100000]) }
    else if (kind === 3) entries[i] = { ...entry, content: Buffer.alloc(upTo(random, 4096), upTo(random, 256)) }
    else if (kind === 4)
      entries[i] = { ...entry, pack: Buffer.from([upTo(random, 256), upTo(random, 256), upTo(random, 256)]) }
    else if (kind === 5)
      entries[i] = { ...entry, descriptor: pick(random, ['signed', 'plain', Buffer.alloc(upTo(random, 20))] as const) }
    else if (kind === 6)
      entries[i] = { ...entry, start: pick(random, [0, 30, good.length, 0xffffffff, upTo(random, good.length)]) }
    else entries[i] = { ...entry, [part]: { ...entry[part], ...lyingNumbers(random) } }
  }
  return random() < 0.1 ? entries.reverse() : entries
}

const lyingNumbers = (random: Random): Partial<Numbers> =>
  pick<() => Partial<Numbers>>(random, [
    () => ({ flags: 1 << upTo(random, 16) }),
    () => ({ method: pick(random, [0, 8, 9, 12, 99, 65535]) }),
    () => ({ time: upTo(random, 2 ** 32) }),
    () => ({ crc: upTo(random, 2 ** 32) }),
    () => ({ packed: pick(random, [0, 1, 0xffffffff, upTo(random, 9999)]) }),
    () => ({ size: pick(random, [0, 1, 0xffffffff, 60_000_000, upTo(random, 9999)]) }),
    () => ({ name: Buffer.from(pick(random, names)) }),
    () => ({
      extra: pick(random, [
        extraField(1, Buffer.alloc(16)),
        unicodePath('run.sh', '../evil'),
        Buffer.alloc(upTo(random, 9), 1),
      ]),
    }),
  ])()

const lyingEnd = (random: Random): NonNullable<RawArchive['end']> =>
  pick<NonNullable<RawArchive['end']>>(random, [
    { all: upTo(random, 70000) },
    { here: upTo(random, 9), all: upTo(random, 9) },
    { directoryAt: upTo(random, good.length) },
    { directorySize: upTo(random, 999) },
    { commentSize: upTo(random, 99) },
    { disk: 1 },
  ])
