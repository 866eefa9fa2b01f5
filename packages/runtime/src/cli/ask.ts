/**
 * Questions to a person at a terminal. They are asked on standard error, so that standard output stays for the answer. The library
 * is loaded when something is asked: `svc run` never asks, and its ten megabytes would stay in memory for good.
 */
import { Refusal } from './output.ts'

export const interactive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks for what must not be seen; again while nothing is typed and something is `required`. */
export async function askHidden(message: string, required = false): Promise<string> {
  const { password } = await import('@clack/prompts')
  const answer = await password({
    message,
    output: process.stderr,
    ...(required && { validate: (typed) => (typed ? undefined : 'It is needed.') }),
  })
  return typeof answer === 'string' ? answer : typeof answer === 'symbol' ? stopped() : ''
}

export async function confirm(message: string): Promise<boolean> {
  const { confirm: askConfirm } = await import('@clack/prompts')
  const answer = await askConfirm({ message, output: process.stderr })
  return typeof answer === 'boolean' ? answer : stopped()
}

/** Ctrl-C at a question. */
function stopped(): never {
  throw new Refusal('Nothing was done.')
}
