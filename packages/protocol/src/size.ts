const units = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
] as const

/**
 * The maximum size that a limit allows, in words: `20 MB`, `64 KB`. Limits are powers of two, and the contract names
 * them by their round numbers. A part of a unit is left out, so what is refused is never below the number that is
 * named.
 */
export const limitText = (bytes: number): string =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MB` : `${Math.floor(bytes / 1024)} KB`

/** Formats a number of bytes for people, in decimal units with one digit: `512 B`, `1.9 MB`, `1.0 GB`. */
export function sizeText(bytes: number): string {
  // A number that would be rounded to 1000.0 of a unit gets the next unit.
  const [size, unit] = units.find(([each]) => bytes >= each * 0.99995) ?? []
  return size === undefined ? `${bytes} B` : `${(bytes / size).toFixed(1)} ${unit}`
}
