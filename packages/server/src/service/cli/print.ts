/**
 * Prints on the standard output and the standard error of this process, where the disk may be full or the reader gone.
 */
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isCode, messageOf, systemReason } from '../../platform/errors.ts'

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
