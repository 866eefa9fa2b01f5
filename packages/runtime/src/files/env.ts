/**
 * Reads and writes `.svc/agent.env` and `secrets.env`. Each line is `NAME=value`, taken literally (2.9). The files have
 * mode 0600 and are replaced in one step (D51).
 */
import { wrongWithEnvValue } from '@svc/blueprint/names'
import { isToken } from '@svc/protocol'
import { hint } from '../hint.ts'
import { writeDurably } from './durable.ts'
import { type Folder, prepare } from './folder.ts'
import { readFile } from './read.ts'

export type Env = ReadonlyMap<string, string>

export interface Connection {
  /** The address of the service: only scheme, host and port. */
  readonly origin: string
  readonly token: string
}
type ConnectionRead =
  | { readonly ok: true; readonly value: Connection }
  | { readonly ok: false; readonly message: string }

/** The variables of a file; empty if there is no such file, or if it cannot be read. */
export function readEnv(file: string): Env {
  const read = readFile(file, 1024 * 1024)
  const env = new Map<string, string>()
  if (read.is !== 'bytes') return env
  for (const line of read.bytes.toString('utf8').split('\n')) {
    const match = /^([A-Z][A-Z0-9_]*)=(.*?)\r?$/.exec(line)
    if (match) env.set(match[1] as string, match[2] as string)
  }
  return env
}

/**
 * The address to which this folder's agent reports, and its token. If either is missing or invalid, the result says so
 * in a sentence.
 */
export function readConnection(folder: Folder): ConnectionRead {
  const env = readEnv(folder.env)
  const connect = `run "${hint('connect --url …')}" first`
  const url = env.get('SVC_URL')
  const token = env.get('SVC_TOKEN')
  if (url === undefined || token === undefined) {
    return { ok: false, message: `${folder.env} names no service to report to; ${connect}.` }
  }
  const origin = readOrigin(url)
  if (!origin.ok) return { ok: false, message: `SVC_URL in ${folder.env} ${origin.message}; ${connect}.` }
  if (!isToken('agent', token)) {
    return { ok: false, message: `SVC_TOKEN in ${folder.env} is not an agent token; ${connect}.` }
  }
  return { ok: true, value: { origin: origin.value, token } }
}

/**
 * Writes the address of the service and the agent's token into `.svc/agent.env`, and keeps every other variable in that
 * file.
 */
export function writeConnection(folder: Folder, { origin, token }: Connection): void {
  prepare(folder)
  writeEnv(folder.env, new Map(readEnv(folder.env)).set('SVC_URL', origin).set('SVC_TOKEN', token))
}

/** Replaces a file of variables as a whole. Only the owner of the file can read it. */
export function writeEnv(file: string, env: Env): void {
  for (const [name, value] of env) {
    const wrong = wrongWithEnvValue(value)
    if (wrong) throw new Error(`The value of ${name} ${wrong}.`)
  }
  writeDurably(file, [...env].map(([name, value]) => `${name}=${value}\n`).join(''), 0o600)
}

/** Reads the origin of a service's address. On failure, `message` is the middle of a sentence. */
export function readOrigin(written: string): { ok: true; value: string } | { ok: false; message: string } {
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    return { ok: false, message: 'must be an address such as https://svc.example.com' }
  }
  if (url.username !== '' || url.password !== '') return { ok: false, message: 'must hold no user name or password' }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return { ok: false, message: 'must be the address of the service alone, without a path' }
  }
  return { ok: true, value: url.origin }
}

/**
 * True if others could read a token that is sent to this origin: the connection has no TLS, and does not stay on this
 * machine.
 */
export const isOpen = (origin: string): boolean =>
  origin.startsWith('http://') && !/^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/.test(origin)
