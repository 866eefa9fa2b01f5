/**
 * The product's settings. They come from environment variables; the secret can also be in a file that a variable names.
 * The secret is never a command-line argument, since everybody on the machine can read the arguments of a process.
 */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

export interface Config {
  /** The origin of the service that issues the bots' tokens. */
  service: string
  /** The id of this product in the service, and the secret with which it authenticates to the service. */
  product: string
  secret: string
  host: string
  port: number
  /**
   * The address of this product for people and bots. If undefined, it is localhost with the port that the product
   * listens on.
   */
  origin: string | undefined
  /** The path of the JSON file in which the product stores its data. */
  file: string
}

type Env = Readonly<Record<string, string | undefined>>

/** Reads the settings that `env` gives. Throws an Error with a sentence about the first invalid one. */
export function readConfig(env: Env): Config {
  const port = Number(env.TASKS_PORT ?? 8790)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`TASKS_PORT must be 0 to 65535: got ${env.TASKS_PORT}`)
  return {
    service: originOf('SVC_URL', env.SVC_URL ?? 'http://localhost:8787'),
    product: env.TASKS_PRODUCT ?? 'tasks',
    secret: secretOf(env),
    host: env.TASKS_HOST ?? '127.0.0.1',
    port,
    origin: env.TASKS_ORIGIN === undefined ? undefined : originOf('TASKS_ORIGIN', env.TASKS_ORIGIN),
    file: resolve(env.TASKS_FILE ?? 'tasks.json'),
  }
}

function originOf(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.username && !url.search) return url.origin
  throw new Error(`${name} must be an address such as https://tasks.example.org, without a path: got ${text}`)
}

function secretOf({ TASKS_SECRET: given, TASKS_SECRET_FILE: file }: Env): string {
  if (given) return given.trim()
  if (!file)
    throw new Error(
      'The secret is missing that "svc-server product add" showed: put it into TASKS_SECRET, or into a file and its name into TASKS_SECRET_FILE',
    )
  if ((statSync(file).mode & 0o077) !== 0)
    throw new Error(`Others can read ${file}, and the product's secret is in it: chmod 600 ${file}`)
  const secret = readFileSync(file, 'utf8').trim()
  if (!secret) throw new Error(`TASKS_SECRET_FILE is empty: ${file}`)
  return secret
}
