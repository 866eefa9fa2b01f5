/** Reads and writes numbers as bytes, and computes the checksum that zip archives use. */
import * as zlib from 'node:zlib'

export const uint16At = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
export const uint32At = (bytes: Uint8Array, at: number): number =>
  (uint16At(bytes, at) | (uint16At(bytes, at + 2) << 16)) >>> 0

export const bytesOf = (n: number, size: 2 | 4): number[] =>
  Array.from({ length: size }, (_, i) => (n >>> (8 * i)) & 0xff)

/** The CRC-32 of bytes. `before` is the checksum of the bytes that precede them. */
export const crc32: (bytes: Uint8Array, before?: number) => number =
  (zlib as { crc32?: typeof zlib.crc32 }).crc32 ?? ownCrc32 // zlib has crc32 since Node 20.15

/** Computes the same as `crc32`, for a zlib without it. */
export function ownCrc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return ~crc >>> 0
}

const table = Int32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let i = 0; i < 8; i++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  return c
})
