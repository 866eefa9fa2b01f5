/**
 * The connection of an agent to a service, as `svc connect` and `svc adopt` make it: the address and the token that a
 * person gives, and the report that tests both.
 */
import { resolve } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { isOwnMachineOnly, isToken } from '@svc/protocol'
import { isExposed, readEnv, readOrigin, type ServiceConnection } from '../../machine/files/env.ts'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { readHandedText } from '../../machine/files/handed.ts'
import { noteNetwork } from '../../machine/files/network.ts'
import { type ExchangeResult, exchangeReport } from '../../reporter/exchange.ts'
import { createReporter } from '../../reporter/run.ts'
import { askHidden, isInteractive, readPastedInput, standardInput } from '../kit/ask.ts'
import { exits, Refusal, warn } from '../kit/output.ts'

/** Reads the address of a service from the option --url. Warns if the connection is not encrypted. */
export function originFrom(url: string): string {
  const origin = readOrigin(readPastedInput('The address', url))
  if (!origin.ok) throw new Refusal(`--url ${origin.message}: got ${JSON.stringify(url)}.`, exits.usage)
  if (isExposed(origin.value))
    warn(`Everyone on the way to ${origin.value} can read the token: it is not encrypted. Use https.`)
  return origin.value
}

/** With this value of --token-file, the token is read from standard input, or asked for at the terminal. */
const pasteMark = '-'

/**
 * Reads the token from a file, the environment, the terminal or standard input. The token is never an argument of the
 * command, since every user of the machine can see arguments (I29).
 */
export async function tokenFrom(file: string | undefined): Promise<string> {
  const token = readPastedInput('The token', await rawToken(file), { secret: true })
  if (isToken('agent', token)) return token
  if (token === '')
    throw new Refusal(
      'No token was given. Paste it when asked, or pass it on standard input, in --token-file or in SVC_TOKEN.',
      exits.usage,
    )
  throw new Refusal(
    'That is not an agent token. A token starts with svc_agt_, followed by letters, digits, _ and - only. The service shows it once, when the agent is added or its token is rotated.',
    exits.usage,
  )
}

/** No token has more bytes than this, so svc reads no more of standard input. */
const maxTokenBytes = 4096

async function rawToken(file: string | undefined): Promise<string> {
  if (file !== undefined && file !== pasteMark) return readHandedText(resolve(file), 'The token file', maxTokenBytes)
  if (file === undefined && process.env.SVC_TOKEN) return process.env.SVC_TOKEN
  return isInteractive() ? askHidden("The agent's token (it is not shown)") : standardInput(maxTokenBytes)
}

/**
 * Sends one real report to test the connection. The agent obeys commands in the answer as usual, because the service
 * delivers each command only once. If the service cannot be reached, the message ends with `advice`.
 */
export async function tryConnection(
  folder: Folder,
  manifest: Manifest,
  connection: ServiceConnection,
  advice: string,
): Promise<void> {
  createFolders(folder)
  noteNetwork(readEnv(folder.env))
  const result = await testReport(folder, manifest, connection)
  if (result.ok) return
  const where = `The test report to ${connection.origin} failed: ${result.why}. Nothing was written.`
  if (result.status === undefined) throw new Refusal([where, ...itself(connection), advice].join(' '), exits.unreached)
  throw new Refusal(
    result.status === 401 ? `${connection.origin} does not know this token. Nothing was written.` : where,
  )
}

/** A sentence for somebody who copied an address of the service that works only on the service's own machine. */
const itself = ({ origin }: ServiceConnection): string[] =>
  isOwnMachineOnly(origin)
    ? [`${origin} means this machine itself. If the service runs on another one, ask its operator for its address.`]
    : []

/** Sends one report, outside of the intervals of a reporter. */
export const testReport = (
  folder: Folder,
  manifest: Manifest,
  connection: ServiceConnection,
): Promise<ExchangeResult> =>
  exchangeReport(createReporter(folder), { manifest, health: [] }, connection, new AbortController().signal)
