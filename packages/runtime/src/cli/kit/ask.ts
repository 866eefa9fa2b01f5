/**
 * Asks questions at a terminal, on standard error, so that standard output stays free for results. Without a terminal,
 * the answer comes from standard input. The library for questions is loaded only when a command asks something. It
 * takes ten megabytes, which `svc run` must not spend for as long as the agent runs.
 */
import { readPasted, readText, trimInvisible } from '@svc/protocol'
import { exits, Refusal } from './output.ts'

export const isInteractive = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

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

/** Asks a question that is answered with a whole line: yes, no, y, n, or Enter alone for yes. */
export const confirm = (message: string): Promise<boolean> =>
  asked(message, 'yes/no; Enter means yes', 'yes or no', yesNo)

/** Asks for one of a few words. Enter alone means the first of them. */
export const choose = <T extends string>(message: string, words: readonly [T, ...T[]]): Promise<T> => {
  const answers = Object.fromEntries([['', words[0]], ...words.map((word) => [word, word])])
  return asked(message, `${words.join('/')}; Enter means ${words[0]}`, `one of ${words.join(', ')}`, answers)
}

type AnswerWords<T> = Readonly<Record<string, T>>

export const yesNo: AnswerWords<boolean> = { '': true, y: true, yes: true, n: false, no: false }

/**
 * Asks a question that is answered with a whole line, one of the keys of `answers`, and repeats it after any other
 * text. A single letter without Enter decides nothing, because a person may paste a token or a code too early.
 */
async function asked<T>(message: string, help: string, allowed: string, answers: AnswerWords<T>): Promise<T> {
  const { stdin } = process
  const wasRaw = stdin.isRaw
  // Raw mode begins before the question is shown. Otherwise an early Ctrl-C would end svc without a message.
  stdin.setRawMode?.(true)
  const mayBecome = (line: string) => Object.keys(answers).some((word) => word.startsWith(line.toLowerCase()))
  try {
    process.stderr.write(`${message} (${help}) `)
    for (let answer: T | undefined; ; ) {
      answer = answerIn(await typedLine(mayBecome), answers)
      if (answer !== undefined) return answer
      process.stderr.write(`Please type ${allowed}. Nothing of that text was used. `)
    }
  } finally {
    stdin.setRawMode?.(wasRaw)
    stdin.pause()
  }
}

/** Reads an answer to a question; undefined for any other text. */
export function answerIn<T>(line: string, answers: AnswerWords<T>): T | undefined {
  const word = trimInvisible(line).toLowerCase()
  return Object.hasOwn(answers, word) ? answers[word] : undefined
}

/** The characters that terminals send for the backspace key. */
const erases = ['\b', '\u007f']

/**
 * Reads one line from a terminal in raw mode, and shows only what may become an answer. If text follows a line break in
 * the same chunk, a person has pasted it, so it becomes a part of this line.
 */
function typedLine(mayBecome: (line: string) => boolean): Promise<string> {
  const { stdin, stderr } = process
  return new Promise((resolve, reject) => {
    let line = ''
    const end = (finish: () => void) => {
      stdin.off('data', take)
      stdin.off('end', over)
      stderr.write('\n')
      finish()
    }
    const over = () => end(() => reject(new Refusal('Nothing was done.')))
    const take = (part: Buffer) => {
      const typed = part.toString('utf8')
      if (typed.includes('\u0003') || typed.includes('\u0004')) return over()
      const [before = '', ...after] = typed.split(/[\r\n]+/)
      if (mayBecome(line + before)) stderr.write(before)
      for (const character of before) line = erases.includes(character) ? line.slice(0, -1) : line + character
      if (after.length > 0) end(() => resolve([line, ...after].join(' ')))
    }
    stdin.on('data', take)
    stdin.on('end', over)
    stdin.resume()
  })
}

/**
 * Reads standard input to its end, but stops soon after `maxBytes` bytes. Unlike `readFileSync`, it waits for a program
 * that writes late. Throws a Refusal if the input is not UTF-8.
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

/** Reads what a person pasted into a command. `what` begins the sentence of the refusal. */
export function readPastedInput(what: string, text: string, options: { secret?: boolean } = {}): string {
  const read = readPasted(what, text, options)
  if (read.ok) return read.value
  throw new Refusal(read.message, exits.usage)
}
