/**
 * Collects the secrets that a blueprint asks for: from a file, the environment, or a person who types them unseen. They
 * are never taken from arguments (I29).
 */
import { wrongWithEnvValue } from '@svc/blueprint'
import type { SecretSpec } from '@svc/protocol'
import type { EnvFileValues } from '../machine/files/env.ts'

type GatheredSecrets =
  | { readonly ok: true; readonly values: Map<string, string> }
  | { readonly ok: false; readonly message: string }

/**
 * Collects the secrets from the file and the environment. `ask` asks a person for the others; it is undefined if nobody
 * can be asked. An optional secret may stay empty.
 */
export async function gatherSecrets(
  wanted: readonly SecretSpec[],
  {
    file,
    env,
    ask,
    tell,
  }: {
    readonly file: EnvFileValues
    readonly env: Readonly<Record<string, string | undefined>>
    readonly ask: ((secret: SecretSpec) => Promise<string>) | undefined
    readonly tell: (line: string) => void
  },
): Promise<GatheredSecrets> {
  for (const name of file.keys())
    if (!wanted.some((secret) => secret.name === name)) tell(unknownSecretText(name, wanted))
  const values = new Map<string, string>()
  const missing: string[] = []
  for (const secret of wanted) {
    const { name } = secret
    const given = file.get(name) ?? (env[name] || undefined)
    if (given !== undefined)
      tell(`${name}: ${given === '' ? 'empty in' : 'taken from'} ${file.has(name) ? 'the file' : 'the environment'}.`)
    const value = given ?? (ask ? await ask(secret) : '')
    const wrong = wrongWithEnvValue(value)
    if (wrong) return { ok: false, message: `The value of ${name} ${wrong}.` }
    if (value !== '') values.set(name, value)
    else if (!secret.optional) missing.push(name)
  }
  if (missing.length === 0) return { ok: true, values }
  const names = missing.join(', ')
  return {
    ok: false,
    message: `No value was given for ${names}. Put ${missing.length === 1 ? 'it' : 'them'} into the environment or into a file named with --secrets-file (lines NAME=value).`,
  }
}

const unknownSecretText = (name: string, wanted: readonly SecretSpec[]): string =>
  wanted.length === 0
    ? `${name} in the secrets file is not used: this blueprint has no secrets.`
    : `${name} in the secrets file is not used. The secrets of this blueprint are ${wanted.map((one) => one.name).join(', ')}.`

/** The optional secrets for which no value was given. */
export const secretsNotGiven = (wanted: readonly SecretSpec[], values: ReadonlyMap<string, string>): string[] =>
  wanted.filter(({ name, optional }) => optional && !values.has(name)).map(({ name }) => name)
