/** An error of the system with this code, such as `ENOENT`. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Something that the person who runs the service wrote is wrong; its message says all. */
export class ConfigError extends Error {}

/** What was thrown, in its own words. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
