/**
 * Runs the operator's commands in the running service, because only that process can use an embedded database. The
 * commands arrive by HTTP over the Unix socket `operator.sock` in the data folder (0600), with one route: `POST /run`.
 */
import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { limits, shown } from '@svc/protocol'
import type { Logger } from 'pino'
import { closingStages } from '../../platform/closing.ts'
import { notYours } from '../../platform/data-folder.ts'
import { isCode, isProgramReplaced, systemReason } from '../../platform/errors.ts'
import { commands, unlistedCommands } from '../commands/all.ts'
import type { OperatorCommand } from '../shared/command.ts'
import { MissingError, type OperatorRequest, RefusedError, type ServiceParts, UsageError } from '../shared/request.ts'

/** The maximum body in bytes: enough for a command of 1 MB and a bundle in Base64. */
const maxBody = 1024 * 1024 + Math.ceil((limits.bundleBytes * 4) / 3)
/** The maximum length of a Unix socket's address; macOS allows 104. */
const maxPath = 100

export type OperatorOutcome = { ok: true; value: unknown } | { ok: false; kind: 'refused' | 'misused'; message: string }

function commandNamed(name: string): OperatorCommand | undefined {
  const all = Object.hasOwn(commands, name) ? commands : unlistedCommands
  return Object.hasOwn(all, name) ? all[name] : undefined
}

/** Logs that a command was carried out or refused. */
export const logCommand = (log: Logger, name: string, request: OperatorRequest, { ok }: OperatorOutcome): void =>
  log.info({ command: name, ...commandNamed(name)?.logged?.(request), ok }, 'operator ran a command')

/** Runs one command on an open store. Refusals become an outcome; other errors are thrown. */
export async function runOperatorCommand(
  name: string,
  request: OperatorRequest,
  service: ServiceParts,
): Promise<OperatorOutcome> {
  const command = commandNamed(name)
  if (!command) {
    const message = `The running service (${service.config.version}) does not know "svc-server ${name}": restart it with this version.`
    return { ok: false, kind: 'refused', message }
  }
  try {
    return { ok: true, value: (await command.run({ ...request, ...service })) ?? null }
  } catch (error) {
    if (error instanceof MissingError)
      return { ok: false, kind: 'refused', message: `${error.message} ${searchedDataText(service.config)}` }
    if (error instanceof RefusedError) return { ok: false, kind: 'refused', message: error.message }
    if (error instanceof UsageError) return { ok: false, kind: 'misused', message: error.message }
    throw error
  }
}

/**
 * A sentence that names the data that was searched, without a password. A wrong data folder is the most common reason
 * that something is missing.
 */
export function searchedDataText({
  databaseUrl,
  dataDir,
}: Pick<ServiceParts['config'], 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === undefined) return `The data folder is ${dataDir}.`
  const url = URL.parse(databaseUrl.replace(/@\//, '@localhost/'))
  return url
    ? `The database is ${url.pathname.slice(1)} on ${url.host}.`
    : 'The database is the one in SVC_DATABASE_URL.'
}

interface OperatorTimes {
  /** The milliseconds after the start of a stop during which a command may still arrive. */
  arrivingMs: number
  /** The milliseconds after the start of a stop during which a command may still be carried out. */
  runningMs: number
}
const defaultOperatorTimes: OperatorTimes = { arrivingMs: 1_000, runningMs: closingStages.callers - 500 }

/**
 * Serves the operator's commands on the socket in the data folder, until the returned `close` is called. Only the
 * holder of the folder's lock may call this, since it replaces a socket that an earlier service left there.
 */
export async function serveOperator(
  service: ServiceParts,
  log: Logger,
  times: OperatorTimes = defaultOperatorTimes,
): Promise<{ close: () => Promise<void> }> {
  const file = join(service.config.dataDir, 'operator.sock')
  const working: RunningCommands = new Map()
  const server = createServer((req, res) => void answer(req, res, { service, log, working }))
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  rmSync(file, { force: true })
  await withShortPath(service.config.dataDir, (path) => listen(server, path))
  server.on('error', (error) => log.warn({ err: error }, "a connection to the operator's socket was not accepted"))
  chmodSync(file, 0o600)
  return {
    close: async () => {
      const closed = new Promise<void>((done) => server.close(() => done()))
      server.closeIdleConnections()
      const arriving = setTimeout(() => {
        for (const socket of open) if (![...working.keys()].some((res) => res.socket === socket)) socket.destroy()
      }, times.arrivingMs)
      const running = setTimeout(() => giveUp(working, log), times.runningMs)
      await closed
      clearTimeout(arriving)
      clearTimeout(running)
    },
  }
}

/** The commands that are being carried out, by their responses. */
type RunningCommands = Map<ServerResponse, string>

/** Answers the commands that have not ended when the service has to stop. */
function giveUp(working: RunningCommands, log: Logger): void {
  for (const [res, command] of working) {
    log.warn({ command }, 'an operator command was not finished before the stop')
    const message = 'The service stopped before the command was finished. Check whether it took effect.'
    say(res, 503, { message })
    res.socket?.end()
  }
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { service, log, working }: { service: ServiceParts; log: Logger; working: RunningCommands },
): Promise<void> {
  try {
    if (req.method !== 'POST' || req.url !== '/run') return say(res, 404, { message: 'There is only POST /run.' })
    const { name, request } = await readCall(req)
    working.set(res, name)
    const outcome = await runOperatorCommand(name, request, service)
    logCommand(log, name, request, outcome)
    say(res, 200, outcome)
  } catch (error) {
    log.error({ err: error }, 'an operator command failed')
    say(res, 500, { message: `The command failed. ${whyItFailed(error)}` })
  } finally {
    working.delete(res)
  }
}

function whyItFailed(error: unknown): string {
  if (isProgramReplaced(error)) return replacedText
  const reason = systemReason(error)
  return reason === undefined ? 'The log of the service says why.' : `Reason: ${reason}.`
}

const replacedText = 'The files of the service were replaced while it runs: restart it.'

/** Answers a call, unless it was answered already because the service stops. */
function say(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  if (res.headersSent) return
  res.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  res.end(text)
}

/**
 * Reads a request on the operator's socket and checks its shape, since other programs of the same user can write to the
 * socket, too. The arguments of the command are not checked here, because `svc-server` checks them.
 */
async function readCall(req: IncomingMessage): Promise<{ name: string; request: OperatorRequest }> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of req as AsyncIterable<Buffer>) {
    bytes += part.length
    // A body that is too long is still read to its end, because otherwise the sender would see a closed connection
    // instead of the response.
    if (bytes <= maxBody) parts.push(part)
  }
  if (bytes > maxBody) throw new Error(`A command may not be longer than ${maxBody} bytes.`)
  const text = Buffer.concat(parts).toString()
  const { name, args, options, input, file } = JSON.parse(text) as Partial<OperatorRequest & { name: string }>
  if (typeof name !== 'string' || !Array.isArray(args) || typeof options !== 'object' || typeof input !== 'string')
    throw new Error(`Not a command: ${shown(Object.keys(JSON.parse(text) ?? {}))}`)
  return {
    name,
    request: { args: args.map(String), options: options ?? {}, input, ...(file && { file: String(file) }) },
  }
}

/**
 * Asks the running service over its socket to carry out the command, and returns the outcome; undefined if no service
 * runs. Aborting `signal` ends the wait for the answer.
 */
export async function askService(
  dataDir: string,
  name: string,
  request: OperatorRequest,
  signal?: AbortSignal,
): Promise<OperatorOutcome | undefined> {
  try {
    return await withShortPath(dataDir, (path) => post(path, JSON.stringify({ name, ...request }), signal))
  } catch (error) {
    if (isAway(error)) return undefined
    if (isCode(error, 'EACCES')) throw new RefusedError(notYours(dataDir))
    throw error
  }
}

const isAway = (error: unknown) => isCode(error, 'ENOENT') || isCode(error, 'ECONNREFUSED')

function post(socketPath: string, body: string, signal: AbortSignal | undefined): Promise<OperatorOutcome> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const to = { socketPath, method: 'POST', path: '/run', headers, agent: false, signal }
    const req = httpRequest(to, (res) => {
      const parts: Buffer[] = []
      res.on('data', (part: Buffer) => parts.push(part))
      res.on('error', lost)
      res.on('end', () => {
        const answered = JSON.parse(Buffer.concat(parts).toString()) as OperatorOutcome & { message?: string }
        if (res.statusCode === 200) resolve(answered)
        else reject(new RefusedError(answered.message ?? `The service answered ${res.statusCode}.`))
      })
    })
    const lost = (error: Error) =>
      reject(
        isAway(error) || isCode(error, 'EACCES')
          ? error
          : new RefusedError('The service stopped before it answered. Check whether the command took effect.'),
      )
    req.on('error', lost)
    req.end(body)
  })
}

/**
 * Calls `use` with a path that leads to the operator's socket in the data folder. If the plain path is too long for the
 * address of a socket, the path leads through a descriptor of the folder (Linux).
 */
async function withShortPath<T>(dataDir: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(dataDir, 'operator.sock')
  if (Buffer.byteLength(path) <= maxPath) return await use(path)
  const fd = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return await use(`/proc/self/fd/${fd}/operator.sock`)
  } finally {
    closeSync(fd)
  }
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
