/**
 * Reads the keys for a release: the public keys that are built into every runtime, and the public part of the key that
 * signs.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { readKeys } from '../../packages/runtime/src/updates/runtime/keys.ts'

/** A problem that the person who makes the release must solve. Its message can be printed as it is. */
export class ReleaseError extends Error {}

/** Reads the public keys that are built into every runtime from their file. */
export function keysOf(file: string): string[] {
  if (!existsSync(file)) return []
  try {
    return readKeys(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ReleaseError(`${file}: ${whyOf(error)}`)
  }
}

/** The public key in the first line of a file's text; undefined if there is none, for example in a private key file. */
function publicIn(text: string): string | undefined {
  try {
    return readKeys(text.split('\n')[0] ?? '')[0]
  } catch {
    return undefined
  }
}

/**
 * The public part of the signing key. The file may hold a private key, or a public key whose private part an ssh agent
 * holds. `ssh-keygen`, which may ask for a passphrase, runs only if no file contains the public part.
 */
export function publicPart(file: string): string {
  const text = readKeyFile(file)
  const written = publicIn(text) ?? (existsSync(`${file}.pub`) ? publicIn(readKeyFile(`${file}.pub`)) : undefined)
  if (written !== undefined) return written
  try {
    const said = execFileSync('ssh-keygen', ['-y', '-f', file], { stdio: ['inherit', 'pipe', 'inherit'] }).toString()
    const line = publicIn(said)
    if (line !== undefined) return line
  } catch (error) {
    throw new ReleaseError(`The public part of ${file} could not be had from ssh-keygen: ${whyOf(error)}`)
  }
  throw new ReleaseError(`${file} is no OpenSSH key.`)
}

/** Adds a public key to the file of keys that are built into every runtime. */
export function addKey(keysFile: string, line: string): void {
  const text = existsSync(keysFile) ? readFileSync(keysFile, 'utf8') : ''
  appendFileSync(keysFile, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`)
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ReleaseError(`The key ${file} cannot be read: ${whyOf(error)}`)
  }
}

export const whyOf = (error: unknown): string => {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'syscall' in error)
    return String(error.syscall).startsWith('spawn')
      ? 'ssh-keygen is not there (OpenSSH 8.2 or newer)'
      : 'there is no such file'
  return error instanceof Error ? error.message : String(error)
}
