/**
 * Unpacks the entries of a zip archive in pieces (4, acceptance rules). It counts the bytes on the way, so that an
 * archive with false sizes cannot take more time or memory than the limits allow. A second zip library, yauzl, must
 * find the same entries at the same offsets.
 */
import { setImmediate } from 'node:timers/promises'
import { createInflateRaw } from 'node:zlib'
import { limits, limitText } from '@svc/protocol'
import { fromBufferPromise, type ZipFile } from 'yauzl'
import { crc32 } from './bytes.ts'
import type { ZipEntry, ZipLayout } from './layout.ts'

/** The number of bytes that have been unpacked so far, over all entries of a bundle. */
export interface UnpackedTotal {
  bytes: number
}

/** An error in the content of an entry. Its message is the rest of a sentence that begins with the entry's name. */
export class WrongContent extends Error {}

/** Unpacks the content of an entry in pieces of at most 64 KB. Throws `WrongContent` as soon as a check fails. */
export async function* contentOf(
  { bytes }: ZipLayout,
  entry: ZipEntry,
  total: UnpackedTotal,
): AsyncGenerator<Uint8Array> {
  await setImmediate() // thousands of small entries must not block the event loop
  let size = 0
  let crc = 0
  for await (const piece of unpacked(bytes, entry)) {
    size += piece.length
    total.bytes += piece.length
    if (size > entry.size) throw new WrongContent('unpacks to more than its headers say')
    if (size > limits.bundleFileBytes)
      throw new WrongContent(`unpacks to more than ${limitText(limits.bundleFileBytes)}`)
    if (total.bytes > limits.bundleUnpackedBytes) throw new WrongContent(overTotal)
    crc = crc32(piece, crc)
    yield piece
  }
  if (size < entry.size) throw new WrongContent('unpacks to less than its headers say')
  if (crc !== entry.crc) throw new WrongContent('does not match its checksum')
}
const overTotal = `is where the bundle unpacks to more than ${limitText(limits.bundleUnpackedBytes)}`

const pieceSize = 65_536

async function* unpacked(bytes: Uint8Array, { local, packed, method }: ZipEntry): AsyncGenerator<Uint8Array> {
  const from = local?.dataStart ?? 0
  const data = bytes.subarray(from, from + packed)
  if (method === 0) {
    for (let at = 0; at < data.length; at += pieceSize) yield data.subarray(at, at + pieceSize)
    return
  }
  const inflate = createInflateRaw({ chunkSize: pieceSize })
  try {
    inflate.end(data)
    for await (const piece of inflate) yield piece as Buffer
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new WrongContent(`cannot be unpacked (${error.message})`)
    throw error
  } finally {
    inflate.destroy()
  }
  if (inflate.bytesWritten !== packed) throw new WrongContent('has bytes behind the end of its packed data')
}

/**
 * Compares the entries that `layout.ts` found in an archive with those that the zip library yauzl finds. Undefined if
 * they agree; otherwise the error of yauzl, or the first difference.
 */
export async function zipDisagreement({ bytes, entries }: ZipLayout): Promise<string | undefined> {
  let zip: ZipFile | undefined
  try {
    zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { decodeStrings: false })
    let i = 0
    for await (const libraryEntry of zip.eachEntry()) {
      const ownEntry = entries[i++]
      const { fileDataStart } = await zip.readLocalFileHeaderPromise(libraryEntry, { minimal: true })
      if (!ownEntry || !libraryEntry.fileNameRaw.equals(ownEntry.name) || fileDataStart !== ownEntry.local?.dataStart)
        return `reads differently to another reader at its entry ${i}`
    }
    return i === entries.length ? undefined : 'has fewer entries to another reader'
  } catch (error) {
    return `cannot be read by another reader: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    zip?.close()
  }
}
