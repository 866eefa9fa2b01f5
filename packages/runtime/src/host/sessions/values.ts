/** Reads values from lines and notes that other programs wrote. */

export type JsonObject = Readonly<Record<string, unknown>>

/** A line as a JSON object; undefined if it is not one. */
export function objectIn(line: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** A text that is not empty and not too long; undefined for any other value. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 4096 ? value : undefined

/** Reads the id of a session, a UUID. Other text is refused: ids leave the machine, and texts of people must not. */
export const sessionIdIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(value) ? value : undefined

/** Returns an object with this property, or an empty object if the value is undefined. */
export const optionalProperty = <K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: T }

/** A whole number that is not negative; 0 for any other value. */
export const countIn = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0

/** A number that is not negative; undefined for any other value. */
export const costIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** Reads a time in the form of RFC 3339 as whole Unix seconds; undefined for any other value. */
export function timeIn(value: unknown): number | undefined {
  const at = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN
  return millisIn(at)
}

/** Converts a time from Unix milliseconds to whole Unix seconds; undefined for any other value. */
export const millisIn = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 && value < maxMillis ? Math.floor(value / 1000) : undefined
/** The latest time that is accepted, in milliseconds. */
const maxMillis = 1e13

/** The version of a tool; undefined for any other text. */
export const versionIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d[\w.+-]{0,40}$/.test(value) ? value : undefined
