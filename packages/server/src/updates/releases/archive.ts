/** Reads what a build of `svc.pyz` says about itself, without running it: the file `release.json` in its archive. */
import { inflateRawSync } from 'node:zlib'

interface ReleaseNote {
  version: string
  /** The public keys whose signatures the built runtime accepts; undefined if the build does not name them. */
  keys: string[] | undefined
}

const end = { mark: 0x06054b50, bytes: 22 } as const
const entry = { mark: 0x02014b50, bytes: 46 } as const
const local = { mark: 0x04034b50, bytes: 30 } as const
const largest = 64 * 1024

/**
 * Reads `release.json` from the archive; undefined if the bytes are not an archive with that file. Offsets in the
 * archive count from the start of the bytes.
 */
export function noteOf(bytes: Buffer): ReleaseNote | undefined {
  try {
    const text = memberOf(bytes, 'release.json')
    const { version, keys } = JSON.parse(text ?? '{}') as { version?: unknown; keys?: unknown }
    if (typeof version !== 'string') return undefined
    return { version, keys: Array.isArray(keys) ? keys.map(String) : undefined }
  } catch {
    return undefined // The file is cut short, or is of another kind.
  }
}

function memberOf(bytes: Buffer, name: string): string | undefined {
  const tail = bytes.length - end.bytes
  if (bytes.readUInt32LE(tail) !== end.mark) return undefined
  let at = bytes.readUInt32LE(tail + 16)
  for (let left = bytes.readUInt16LE(tail + 10); left > 0 && bytes.readUInt32LE(at) === entry.mark; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as number[]
    const from = at + entry.bytes
    if (bytes.toString('utf8', from, from + (nameLength ?? 0)) === name) return contentOf(bytes, at)
    at = from + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return undefined
}

function contentOf(bytes: Buffer, at: number): string | undefined {
  const method = bytes.readUInt16LE(at + 10)
  const packed = bytes.readUInt32LE(at + 20)
  const header = bytes.readUInt32LE(at + 42)
  if (bytes.readUInt32LE(header) !== local.mark) return undefined
  const from = header + local.bytes + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28)
  const content = bytes.subarray(from, from + packed)
  return (method === 0 ? content : inflateRawSync(content, { maxOutputLength: largest })).toString('utf8')
}
