/** True for a system error with this code, such as `ENOENT`. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/**
 * The error for a wrong configuration, which the person who runs the service must fix. Its message says everything that
 * they need.
 */
export class ConfigError extends Error {}

/** The message of an error, or the text of any other thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
