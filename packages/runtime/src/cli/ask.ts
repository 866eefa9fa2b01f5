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
    output: terminal(),
    ...(required && { validate: (typed) => (typed ? undefined : 'A value is required.') }),
  })
  return typeof answer === 'string' ? answer : typeof answer === 'symbol' ? stopped() : ''
}

/** Asks for one line; Enter alone gives an empty text. `wrong` says what does not fit, and asks again. */
export async function askLine(message: string, wrong: (typed: string) => string | undefined): Promise<string> {
  const { text } = await import('@clack/prompts')
  const answer = await text({ message, output: terminal(), validate: (typed) => wrong(typed ?? '') })
  return typeof answer === 'symbol' ? stopped() : (answer ?? '')
}

export async function confirm(message: string): Promise<boolean> {
  const { confirm: askConfirm } = await import('@clack/prompts')
  const answer = await askConfirm({ message, output: terminal() })
  return typeof answer === 'boolean' ? answer : stopped()
}

/** A terminal that does not know its size says 0, and the questions would have one character a line. */
function terminal(): typeof process.stderr {
  const { stderr } = process
  stderr.columns ||= 80
  stderr.rows ||= 24
  return stderr
}

/** Ctrl-C at a question. */
function stopped(): never {
  throw new Refusal('Nothing was done.')
}
