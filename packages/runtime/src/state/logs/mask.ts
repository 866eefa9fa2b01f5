/**
 * Masks secrets in a log before it leaves the machine (D52, I29): the values in the environment files, and anything
 * that looks like one of our tokens.
 */
import { tokenLike } from '@svc/protocol'
import type { Env } from '../../machine/files/env.ts'
import { isPlace } from '../../machine/files/network.ts'

const masked = '[masked]'
/** The minimum length of a value that is masked. Masking shorter values would hide ordinary words. */
const minLength = 8

export function mask(text: string, ...envs: readonly Env[]): string {
  const values = envs
    .flatMap((env) => [...env])
    .filter(([name, value]) => value.length >= minLength && !isPlace(name))
    .map(([, value]) => value)
  let shown = text
  for (const value of [...new Set(values)].sort((a, b) => b.length - a.length)) shown = shown.replaceAll(value, masked)
  return shown.replaceAll(tokenLike, masked)
}
