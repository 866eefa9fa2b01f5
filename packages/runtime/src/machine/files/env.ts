/**
 * Reads and writes `.svc/agent.env` and `secrets.env`. Each line is `NAME=value`, taken literally (2.9). The files have
 * mode 0600 and are replaced in one step (D51).
 */
import { statSync } from 'node:fs'
import { wrongWithEnvValue } from '@svc/blueprint/names'
import { changeEnvText, isToken, isUtf16, readEnvText, readText, repeatedNames } from '@svc/protocol'
import { Refusal } from '../base/errors.ts'
import { commandHint } from '../hint.ts'
import { writeDurably } from './durable.ts'
import { createFolders, type Folder } from './folder.ts'
import { noteNetwork, staysOnThisMachine, variablesToRemember } from './network.ts'
import { readFile } from './read.ts'

/** The variables of a file by their names. */
export type EnvFileValues = ReadonlyMap<string, string>

export interface ServiceConnection {
  /** The address of the service: only scheme, host and port. */
  readonly origin: string
  readonly token: string
}
type ConnectionRead =
  | { readonly ok: true; readonly value: ServiceConnection }
  | { readonly ok: false; readonly message: string }

export const maxEnvBytes = 1024 * 1024

/**
 * The variables of a file; empty if there is no such file, or if it cannot be read. Lines that are not understood are
 * left out, so that an agent starts with what an earlier version accepted; `envFaults` names them.
 */
export function readEnv(file: string): EnvFileValues {
  const read = readFile(file, maxEnvBytes)
  if (read.is !== 'bytes') return new Map()
  return new Map(readEnvText(read.bytes.toString('utf8')).lines.map(({ name, value }) => [name, value]))
}

/**
 * Says why a file of variables cannot be read, as the end of a sentence that begins with the file's name; undefined if
 * the file can be read, or is missing.
 */
export function whyEnvUnreadable(file: string): string | undefined {
  const read = readFile(file, maxEnvBytes)
  if (read.is === 'missing') return undefined
  return read.is === 'unreadable' ? read.why : isUtf16(read.bytes) ? utf16Fault : undefined
}

/** Everything in a file of variables that is not understood, as ends of sentences that begin with the file's name. */
export function envFaults(file: string): string[] {
  const read = readFile(file, maxEnvBytes)
  if (read.is === 'missing') return []
  if (read.is === 'unreadable') return [read.why]
  if (isUtf16(read.bytes)) return [utf16Fault]
  const decoded = readText(read.bytes)
  if (!decoded.ok) return [decoded.why]
  return readEnvText(read.bytes.toString('utf8')).faults.map(({ line, why }) => `has a line ${line} that ${why}`)
}
/** Names that occur in several lines of a file of variables, as ends of sentences that begin with the file's name. */
export function repeatedIn(file: string): string[] {
  const read = readFile(file, maxEnvBytes)
  if (read.is !== 'bytes' || isUtf16(read.bytes)) return []
  return repeatedNames(readEnvText(read.bytes.toString('utf8'))).map(
    ({ name, lines }) => `names ${name} in lines ${lines.join(' and ')}; only the last one counts`,
  )
}

const utf16Fault = 'is UTF-16; save it as UTF-8'

/**
 * The address to which this folder's agent reports, and its token. If either is missing or invalid, the result says so
 * in a sentence.
 */
export function readConnection(folder: Folder): ConnectionRead {
  const env = readEnv(folder.env)
  noteNetwork(env)
  const connect = `run "${commandHint('connect --url …')}" first`
  const url = env.get('SVC_URL')
  const token = env.get('SVC_TOKEN')
  if (url === undefined || token === undefined) {
    const [fault] = envFaults(folder.env)
    const also = fault === undefined ? '' : ` It ${fault}.`
    return { ok: false, message: `${folder.env} names no service to report to; ${connect}.${also}` }
  }
  const origin = readOrigin(url)
  if (!origin.ok) return { ok: false, message: `SVC_URL in ${folder.env} ${origin.message}; ${connect}.` }
  if (!isToken('agent', token)) {
    return { ok: false, message: `SVC_TOKEN in ${folder.env} is not an agent token; ${connect}.` }
  }
  return { ok: true, value: { origin: origin.value, token } }
}

/**
 * Writes the variables of this process that the connection needs into `.svc/agent.env` (D78). Changes nothing if there
 * is no connection, or if the file belongs to another user, who could not read it afterwards.
 */
export function rememberNetwork(folder: Folder): void {
  const connection = readConnection(folder)
  if (!connection.ok || statSync(folder.env).uid !== process.getuid?.()) return
  const changes = variablesToRemember(connection.value.origin)
  const env = readEnv(folder.env)
  if (Object.entries(changes).some(([name, value]) => env.get(name) !== value)) changeEnv(folder.env, changes)
}

/**
 * Writes the address of the service and the agent's token into `.svc/agent.env`, with the variables of this process
 * that the connection needs (D78). All other lines of the file stay.
 */
export function writeConnection(folder: Folder, { origin, token }: ServiceConnection): void {
  createFolders(folder)
  changeEnv(folder.env, { SVC_URL: origin, SVC_TOKEN: token, ...variablesToRemember(origin) })
}

/**
 * Sets or removes (undefined) variables in a file. Every other line stays byte for byte, also if it is not understood.
 * Throws a Refusal, and changes nothing, if the file cannot be read or would become too large.
 */
export function changeEnv(file: string, changes: Readonly<Record<string, string | undefined>>): void {
  const why = whyEnvUnreadable(file)
  const read = readFile(file, maxEnvBytes)
  if (why !== undefined) throw new Refusal(`${file} ${why}. Nothing was changed.`)
  // In Latin-1 every byte is one character, so that bytes which are not UTF-8 stay as they are.
  let text = read.is === 'bytes' ? read.bytes.toString('latin1') : ''
  for (const [name, value] of Object.entries(changes)) {
    checkValue(name, value ?? '')
    text = changeEnvText(text, name, value === undefined ? undefined : Buffer.from(value).toString('latin1'))
  }
  if (text.length > maxEnvBytes) throw new Refusal(`${file} would be larger than 1 MB. Nothing was changed.`)
  writeDurably(file, Buffer.from(text, 'latin1'), 0o600)
}

/** Replaces a file of variables as a whole. Only the owner of the file can read it. */
export function writeEnv(file: string, env: EnvFileValues): void {
  for (const [name, value] of env) checkValue(name, value)
  writeDurably(file, [...env].map(([name, value]) => `${name}=${value}\n`).join(''), 0o600)
}

function checkValue(name: string, value: string): void {
  const wrong = wrongWithEnvValue(value)
  if (wrong) throw new Error(`The value of ${name} ${wrong}.`)
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
export const isExposed = (origin: string): boolean => origin.startsWith('http://') && !staysOnThisMachine(origin)
