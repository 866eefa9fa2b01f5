/** Gets the message and the code from any value that was thrown. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the code of a failed system call, such as `ENOENT`; undefined for any other error. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
