/** What `svc` refuses, and with which code it exits. */

export const exits = { done: 0, refused: 1, usage: 2, unreached: 3 } as const

/** A refusal: one sentence on standard error, and the code of exit. */
export class Refusal extends Error {
  readonly exit: number
  constructor(message: string, exit: number = exits.refused) {
    super(message)
    this.name = 'Refusal'
    this.exit = exit
  }
}
