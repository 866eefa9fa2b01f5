/** Units of time and of size. */

export const dayMs = 86_400_000

/** The day of a moment in Unix milliseconds, as days since 1970 (UTC). */
export const dayOf = (at: number): number => Math.floor(at / dayMs)

/** Formats a number of bytes as a size such as `1 GB`, in decimal units like those of disks. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const [size, unit] = bytes >= 1e9 ? [bytes / 1e9, 'GB'] : bytes >= 1e6 ? [bytes / 1e6, 'MB'] : [bytes / 1e3, 'KB']
  return `${Number(size.toFixed(2))} ${unit}`
}
