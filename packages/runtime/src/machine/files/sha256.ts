import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { codeOf } from '../base/errors.ts'

/** The checksum of a file; undefined if there is no such file. */
export function sha256OfFile(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
