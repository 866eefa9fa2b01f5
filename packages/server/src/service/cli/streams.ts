/**
 * The input and output of a command: the standard streams of this process, and a file that an argument names. The disk
 * behind the output may be full, and its reader gone.
 */
import { readFileSync, statSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limitText, readText, sizeText } from '@svc/protocol'
import type { OperatorCommand } from '../../operator/shared/command.ts'
import { RefusedError } from '../../operator/shared/request.ts'
import { isCode, messageOf, systemReason } from '../../platform/errors.ts'

/**
 * The contents in Base64 of a file that an argument names. This process reads the file, and not the running service.
 */
export function readLocalFile(
  file: string,
  { maxBytes, what }: NonNullable<OperatorCommand['reads']>,
  cwd = process.cwd(),
): string {
  const path = resolve(cwd, file)
  try {
    const { size } = statSync(path)
    if (size > maxBytes)
      throw new RefusedError(`${what} may have at most ${limitText(maxBytes)}: ${file} has ${sizeText(size)}.`)
    return readFileSync(path, 'base64')
  } catch (error) {
    if (error instanceof RefusedError) throw error
    throw new RefusedError(`The file ${file} cannot be read: ${messageOf(error)}`)
  }
}

/** Reads standard input: all of a pipe or file, which must be UTF-8, or one hidden line from a terminal. */
export async function readStandardInput(asks: string): Promise<string> {
  if (process.stdin.isTTY) return await readHidden(asks)
  const parts: Buffer[] = []
  for await (const part of process.stdin as AsyncIterable<Buffer>) parts.push(part)
  const read = readText(Buffer.concat(parts))
  if (!read.ok) throw new RefusedError(`Standard input ${read.why}. Nothing was done.`)
  return read.text
}

function readHidden(asks: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(`${asks}: `)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let text = ''
  return new Promise((resolve) => {
    const done = () => {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      resolve(text)
    }
    const take = (typed: string) => {
      for (const key of typed) {
        if (key === '\r' || key === '\n' || key === '\u0004') return done()
        if (key === '\u0003') process.exit(130) // The key is Ctrl-C.
        text = key === '\u007f' || key === '\b' ? [...text].slice(0, -1).join('') : text + key
      }
    }
    stdin.on('data', take)
    stdin.resume()
  })
}

/** The error for a text that standard output did not accept completely. */
export class OutputError extends Error {
  /** True if nobody reads the output any longer, as after `| head -1`. */
  readonly isClosed: boolean
  /** The reason in words. */
  readonly reason: string

  constructor(cause: unknown) {
    const reason = systemReason(cause) ?? messageOf(cause)
    super(`The command was carried out, but its result could not be printed: ${reason}.`, { cause })
    this.isClosed = isCode(cause, 'EPIPE')
    this.reason = reason
  }
}

/**
 * Resolves when all of the text is written, even to a pipe that is read slowly. Throws an OutputError otherwise. It
 * does not use `process.stdout`: if the disk becomes full in the middle of a text, that stream reports success.
 */
export async function print(text: string, put = (bytes: Uint8Array) => writeSync(1, bytes)): Promise<void> {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(put(rest))
    } catch (error) {
      if (!isCode(error, 'EAGAIN')) throw new OutputError(error)
      await sleep(10)
    }
  }
}

/** Writes to standard error. A text that is not accepted is lost, because there is nowhere else to write it. */
export function printError(text: string): void {
  process.stderr.write(text)
}

/**
 * Ignores errors of the streams of standard output and standard error, such as a closed pipe. Without a listener such
 * an error would end the process with a stack trace.
 */
export function ignoreOutputErrors(): void {
  for (const output of [process.stdout, process.stderr])
    if (output.listenerCount('error') === 0) output.on('error', () => {})
}
