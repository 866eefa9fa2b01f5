const units = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
] as const

/**
 * Formats a limit in binary units, as the contract does: `20 MB`, `64 KB`. The number is rounded down, so that a size
 * beyond the limit is always larger than the number shown.
 */
export const limitText = (bytes: number): string =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MB` : `${Math.floor(bytes / 1024)} KB`

/** Formats a number of bytes for people, in decimal units with one digit: `512 B`, `1.9 MB`, `1.0 GB`. */
export function sizeText(bytes: number): string {
  // A number that would be rounded to 1000.0 of a unit gets the next unit.
  const [size, unit] = units.find(([each]) => bytes >= each * 0.99995) ?? []
  return size === undefined ? `${bytes} B` : `${(bytes / size).toFixed(1)} ${unit}`
}
