/**
 * Masks secrets in a log before it leaves the machine (D52, I29): the values in the environment files, and anything
 * that looks like one of our tokens.
 */
import { basename } from 'node:path'
import { terminalText, tokenLike } from '@svc/protocol'
import { type Env, envUnread, readEnv } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { isPlace } from '../../machine/files/network.ts'

const masked = '[masked]'
/** The minimum length of a value that is masked. Masking shorter values would hide ordinary words. */
const minLength = 8

/**
 * A text of a log as a terminal would show it, with the secrets of the agent masked. If a file of secrets cannot be
 * read, the result says so instead, since the secrets in the text would not be recognized.
 */
export function safeLog(folder: Pick<Folder, 'env' | 'secrets'>, text: string): string {
  const files = [folder.env, folder.secrets]
  for (const file of files) {
    const why = envUnread(file)
    if (why !== undefined)
      return `The log is not shown: ${basename(file)} ${why}, so the secrets in the log could not be masked.\n`
  }
  const envs = files.map(readEnv)
  // The text is masked before `terminalText` drops what a program wrote over, which may be a part of a secret, and
  // again after it dropped the characters for the terminal, which may stand between the letters of one.
  return mask(terminalText(mask(text, ...envs)), ...envs)
}

function mask(text: string, ...envs: readonly Env[]): string {
  const values = envs
    .flatMap((env) => [...env])
    .filter(([name, value]) => value.length >= minLength && !isPlace(name))
    .map(([, value]) => value)
  let shown = text
  for (const value of [...new Set(values)].sort((a, b) => b.length - a.length)) shown = shown.replaceAll(value, masked)
  return shown.replaceAll(tokenLike, masked)
}
