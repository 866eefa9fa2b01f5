/**
 * Asks questions at a terminal, on standard error, so that standard output stays free for results. Without a terminal,
 * the answer comes from standard input. The library for questions is loaded only when a command asks something. It
 * takes ten megabytes, which `svc run` must not spend for as long as the agent runs.
 */
import { readText } from '@svc/protocol'
import { exits, Refusal } from './output.ts'

export const interactive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/**
 * Asks for a text that is not shown while it is typed. If `required` is true, the question is repeated until the person
 * types something.
 */
export async function askHidden(message: string, required = false): Promise<string> {
  const { password } = await import('@clack/prompts')
  const answer = await password({
    message,
    output: terminal(),
    ...(required && { validate: (typed) => (typed ? undefined : 'A value is required.') }),
  })
  return typeof answer === 'string' ? answer : typeof answer === 'symbol' ? stopped() : ''
}

/**
 * Asks for one line; Enter alone gives an empty text. If `wrong` returns a reason why the line is wrong, the question
 * is repeated.
 */
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

/**
 * Reads standard input to its end, but stops soon after `maxBytes` bytes. It waits for a program that writes late, which
 * `readFileSync` would not: Node has made standard input non-blocking before. Throws a Refusal if it is not UTF-8.
 */
export async function standardInput(maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part)
    bytes += part.length
    if (bytes > maxBytes) break
  }
  const read = readText(Buffer.concat(parts))
  if (!read.ok) throw new Refusal(`Standard input ${read.why}. Nothing was done.`, exits.usage)
  return read.text
}

/**
 * Returns standard error as a stream with a valid size. Some terminals report the size 0, and the library would then
 * print questions with one character per line.
 */
function terminal(): typeof process.stderr {
  const { stderr } = process
  stderr.columns ||= 80
  stderr.rows ||= 24
  return stderr
}

/** Ends the command when the person presses Ctrl-C at a question. */
function stopped(): never {
  throw new Refusal('Nothing was done.')
}
