/** Errors: their messages and codes, and the refusals with which a command of `svc` ends. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The code of an error, such as `ENOENT`; undefined if the error has none. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The exit codes of `svc`. */
export const exits = { done: 0, refused: 1, usage: 2, unreached: 3 } as const

/** A refusal: an error with the sentence that is printed on standard error, and the exit code. */
export class Refusal extends Error {
  readonly exit: number
  constructor(message: string, exit: number = exits.refused) {
    super(message)
    this.name = 'Refusal'
    this.exit = exit
  }
}
