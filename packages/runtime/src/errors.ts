/** Gets the message and the code out of anything that was thrown. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The code of a failed system call, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
