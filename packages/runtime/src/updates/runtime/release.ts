/**
 * Reads `release.json` in the archive of a file of the runtime. The file itself is not run, since its signature may not
 * be verified yet.
 */
import { inflateRawSync } from 'node:zlib'
import { isObject, limits } from '@svc/protocol'
import { readFile } from '../../machine/files/read.ts'

interface InsideRelease {
  readonly version: string
  readonly leastNode: number
  /** The keys that the file trusts for its own updates; absent in older files. */
  readonly keys?: readonly string[]
}
const maxInside = 65_536

/** Reads `release.json` in a file; undefined if the file does not exist or is not a file of our runtime. */
export function readInsideRelease(file: string): InsideRelease | undefined {
  const read = readFile(file, limits.runtimeBytes)
  if (read.is !== 'bytes') return undefined
  try {
    const text = member(read.bytes, 'release.json')
    const parsed: unknown = text && JSON.parse(text)
    if (!isObject(parsed) || typeof parsed.version !== 'string') return undefined
    const { version, leastNode, keys } = parsed
    return {
      version,
      leastNode: typeof leastNode === 'number' ? leastNode : 0,
      ...(Array.isArray(keys) && { keys: keys.filter((key) => typeof key === 'string') }),
    }
  } catch {
    return undefined // the file is truncated, or is not an archive
  }
}

/**
 * Reads one small member of an archive whose offsets count from the beginning of the file. Throws if the file ends too
 * soon.
 */
function member(bytes: Buffer, wanted: string): string | undefined {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0) return undefined
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  for (let i = 0; i < count; i++) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) return undefined
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    if (bytes.toString('utf8', at + 46, nameEnd) === wanted) return content(bytes, at)
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return undefined
}

function content(bytes: Buffer, entry: number): string {
  const method = bytes.readUInt16LE(entry + 10)
  const size = bytes.readUInt32LE(entry + 20)
  const local = bytes.readUInt32LE(entry + 42)
  const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
  const packed = bytes.subarray(from, from + size)
  return (method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: maxInside })).toString('utf8')
}
