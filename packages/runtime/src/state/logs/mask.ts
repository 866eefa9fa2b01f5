/**
 * Masks secrets in a log before it leaves the machine (D52, I29): the values in the environment files, and anything
 * that looks like one of our tokens.
 */
import { basename } from 'node:path'
import { endOfText, terminalText, tokenLike } from '@svc/protocol'
import { type EnvFileValues, readEnv, whyEnvUnreadable } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { isLocationVariable } from '../../machine/files/network.ts'

const maskText = '[masked]'
/** The minimum length of a value that is masked. Masking shorter values would hide ordinary words. */
const minLength = 8

/**
 * A text of a log as a terminal would show it, with the secrets of the agent masked. If a file of secrets cannot be
 * read, the result says so instead, since the secrets in the text would not be recognized.
 */
export function safeLog(folder: Pick<Folder, 'env' | 'secrets'>, text: string): string {
  const files = [folder.env, folder.secrets]
  for (const file of files) {
    const why = whyEnvUnreadable(file)
    if (why !== undefined)
      return `The log is not shown: ${basename(file)} ${why}, so the secrets in the log could not be masked.\n`
  }
  const envs = files.map(readEnv)
  // The text is masked before `terminalText`, which drops overwritten text that may be a part of a secret. The result
  // is masked again, since characters that `terminalText` dropped may have stood between the letters of a secret.
  return maskValues(terminalText(maskValues(text, ...envs)), ...envs)
}

/**
 * The number of bytes that are read before the part of a log that is kept or sent. A secret at the beginning of that
 * part is then read as a whole and can be masked.
 */
export const marginBytes = 16 * 1024

/** The last bytes of a log. */
export interface LogEnd {
  readonly bytes: Buffer
  /** True if the log begins with these bytes, so that no secret can be cut at their beginning. */
  readonly isWhole: boolean
}

/** The end of a log with secrets masked, at most `max` bytes. The caller passes `marginBytes` more than that. */
export function safeEnd(folder: Pick<Folder, 'env' | 'secrets'>, { bytes, isWhole }: LogEnd, max: number): string {
  const text = safeLog(folder, bytes.toString('utf8'))
  return endOfText(isWhole ? text : fromNextWord(text), max)
}

/** Drops the first word of a text, which may be the second part of a secret and would not be masked. */
function fromNextWord(text: string): string {
  const space = text.search(/\s/)
  return text.slice(space >= 0 && space < marginBytes ? space + 1 : marginBytes)
}

function maskValues(text: string, ...envs: readonly EnvFileValues[]): string {
  const values = envs
    .flatMap((env) => [...env])
    .filter(([name, value]) => value.length >= minLength && !isLocationVariable(name))
    .map(([, value]) => value)
  let shown = text
  for (const value of [...new Set(values)].sort((a, b) => b.length - a.length))
    shown = shown.replaceAll(value, maskText)
  return shown.replaceAll(tokenLike, maskText)
}
