/**
 * Frees the memory of large bodies as soon as it is no longer needed. Buffers count as memory outside of the heap, and
 * half a megabyte for each large report would make V8 collect the whole heap every few dozen reports.
 */

/** Smaller buffers are left to V8, since freeing one costs more than it saves. */
const minBytes = 8 * 1024

/**
 * Frees the memory of a buffer, which is then empty. The caller must be the only one who holds it. Does nothing to a
 * small buffer, or to one that shares its memory with others.
 */
export function freeBuffer(bytes: Buffer): void {
  const { buffer } = bytes
  if (bytes.length < minBytes || buffer.byteLength !== bytes.length || !(buffer instanceof ArrayBuffer)) return
  buffer.transfer(0)
}
