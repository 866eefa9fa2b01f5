/** Refusals of `svc` and their exit codes. */

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
