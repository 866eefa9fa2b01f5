/** The input of a command besides its arguments: standard input, and a file. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { limitText, readText, sizeText } from '@svc/protocol'
import type { OperatorCommand } from '../../operator/shared/command.ts'
import { RefusedError } from '../../operator/shared/request.ts'
import { messageOf } from '../../platform/errors.ts'

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
