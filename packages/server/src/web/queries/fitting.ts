/** The size of a value as JSON, in bytes. */
export const jsonSize = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** The first items that fit into `bytesMax` together. After the first item that does not fit, none is taken. */
export function firstThatFit<T>(items: Iterable<T>, bytesOf: (item: T) => number, bytesMax: number): T[] {
  const kept: T[] = []
  let left = bytesMax
  for (const item of items) {
    left -= bytesOf(item)
    if (left < 0) break
    kept.push(item)
  }
  return kept
}
