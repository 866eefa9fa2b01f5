/** What an error says, whoever threw it. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The code of a system call that failed: `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
