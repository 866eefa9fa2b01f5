/**
 * Runs `svc-server`: parses the arguments, carries the command out in the running service, or directly on the database
 * if none runs, and prints. Exit codes: 0 done, 1 refused or failed, 2 not understood, 141 the reader of the output is
 * gone.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { safeJson, safeText } from '@svc/protocol'
import { CommanderError } from 'commander'
import { commands } from '../../operator/commands/all.ts'
import { type OperatorCommand, printedValue } from '../../operator/shared/command.ts'
import { type OperatorRequest, RefusedError, UsageError } from '../../operator/shared/request.ts'
import { reachNote } from '../../operator/shared/show.ts'
import { askService, type OperatorOutcome, runOperatorCommand, searchedDataText } from '../../operator/socket/socket.ts'
import type { Config } from '../../platform/base.ts'
import { DataFolderError } from '../../platform/data-folder.ts'
import { StoreError } from '../../platform/db/error.ts'
import { ConfigError, systemReason } from '../../platform/errors.ts'
import { readConfig, type Variables } from '../config.ts'
import { type ChosenCommand, type CommandHelp, chooseCommand } from './program.ts'
import { ignoreOutputErrors, OutputError, print, printError, readLocalFile, readStandardInput } from './streams.ts'

const startWords: CommandHelp = {
  says: 'run the service until Ctrl-C or SIGTERM',
  options: [
    ['--port <port>', 'SVC_PORT: the port to listen on (default: 8787)'],
    ['--host <address>', 'SVC_HOST: the address to listen on (default: 127.0.0.1)'],
    ['--base-url <origin>', 'SVC_BASE_URL: where people and agents reach it (default: http://localhost:PORT)'],
  ],
}

const restoreWords: CommandHelp = {
  says: 'replace the data with a backup, while the service is stopped; agents get new tokens',
  args: [['[file]', 'a file written by svc-server backup']],
  options: [
    ['--tokens-of <agents>', 'new tokens only for these: SLUG/NAME,SLUG/NAME… (default: for all)'],
    ['--tokens-only', 'restore nothing and only create new tokens, after restoring a dump into PostgreSQL'],
  ],
}

const moveWords: CommandHelp = {
  says: 'move the embedded database to PostgreSQL, while the service is stopped',
  options: [['--to <address>', 'postgres://USER@HOST/DATABASE, an empty database (default: SVC_DATABASE_URL)']],
}

const mcpWords: CommandHelp = {
  says: 'answer the questions of an assistant about one workspace, by the Model Context Protocol on standard input and output',
  options: [
    ['--workspace <slug>', "the workspace's short name"],
    ['--as <email>', 'the member of the workspace whose rights the assistant has'],
  ],
}
export const commandHelps: Readonly<Record<string, CommandHelp>> = {
  start: startWords,
  ...commands,
  restore: restoreWords,
  move: moveWords,
  mcp: mcpWords,
}

/** The environment, folder and streams of a command. */
export interface CommandSurroundings {
  readonly env: Variables
  readonly cwd: string
  /** Reads standard input; only some commands call it. `asks` is the prompt that a person sees. */
  readonly read: (asks: string) => Promise<string>
  readonly out: (text: string) => Promise<void>
  readonly err: (text: string) => void
}

const processSurroundings: CommandSurroundings = {
  env: process.env,
  cwd: process.cwd(),
  read: readStandardInput,
  out: print,
  err: printError,
}

/**
 * Runs one command line and resolves with its exit code. The command `start` ends the process itself when the service
 * has stopped.
 */
export async function main(argv: string[], around = processSurroundings): Promise<number> {
  if (around === processSurroundings) ignoreOutputErrors()
  const help: string[] = []
  try {
    const chosen = chooseCommand(commandHelps, argv, {
      version: readVersion(),
      out: (text) => help.push(text),
      err: around.err,
    })
    if (chosen) return await perform(chosen, around)
    await around.out(help.join(''))
    return 0
  } catch (error) {
    const { message, code } = failed(error)
    if (message !== undefined) around.err(`svc-server: ${safeText(message)}\n`)
    return code
  }
}

/** Carries the command out and returns its exit code. */
async function perform({ name, request, json, dataDir }: ChosenCommand, around: CommandSurroundings): Promise<0 | 1> {
  const flags = { SVC_DATA_DIR: dataDir }
  if (name === 'start') {
    const { serveUntilStopped } = await import('./start.ts')
    return await serveUntilStopped(request.options, flags, json)
  }
  const { env, cwd } = around
  const config = readConfig({ flags, env, cwd })
  for (const remark of config.remarks) around.err(`svc-server: ${safeText(remark)}.\n`)
  if (config.remarks.length > 0) around.err(`svc-server: ${safeText(searchedDataText(config))}\n`)
  const isNew = !existsSync(config.dataDir)
  try {
    return await carryOut({ name, request, json }, { ...around, config })
  } finally {
    if (isNew && existsSync(config.dataDir)) around.err(`${newFolder(config.dataDir)}\n`)
  }
}

async function carryOut(
  { name, request, json }: Omit<ChosenCommand, 'dataDir'>,
  { config, cwd, read, out, err }: CommandSurroundings & { config: Config },
): Promise<0 | 1> {
  const say = async <T>(value: T, show: (value: T) => string) => {
    await out(`${json ? safeJson(value) : safeText(show(value))}\n`)
    return 0 as const
  }
  const note = (line: string) => err(`${line}\n`)
  if (name === 'restore') {
    const { restore, showRestored } = await import('./restore.ts')
    process.umask(0o077)
    return say(await restore(request, config), showRestored)
  }
  if (name === 'move') {
    const { moveToPostgres, showMoved, hasPassword } = await import('./move.ts')
    process.umask(0o077)
    if (hasPassword(request.options.to?.toString()))
      note('Others on this machine can read a password in the arguments. Use PGPASSWORD or SVC_DATABASE_URL instead.')
    return say(await moveToPostgres(request, config, json ? () => {} : note), showMoved)
  }
  if (name === 'mcp') {
    const { serveAssistant } = await import('./mcp.ts')
    return serveAssistant(request.options, config, note)
  }
  const command = commands[name] as OperatorCommand
  const input = command.input === undefined ? '' : await read(command.input)
  const { reads } = command
  const beside = reads && { file: readLocalFile(request.args[reads.at] ?? '', reads, cwd) }
  const outcome = await runWhereItBelongs(name, { ...withPaths(request, command, cwd), input, ...beside }, config)
  if (outcome.ok) {
    await out(`${printedValue(command, outcome.value, json)}\n`)
    const reach = reachNote(outcome.value)
    if (reach !== undefined) note(reach)
    return command.isFailure?.(outcome.value) ? 1 : 0
  }
  throw outcome.kind === 'misused' ? new UsageError(outcome.message) : new RefusedError(outcome.message)
}

const newFolder = (folder: string) =>
  `The data folder ${folder} is new. If the service keeps its data elsewhere, name that folder with SVC_DATA_DIR or in the file .env of the current folder.`

/** Makes paths absolute, since the service may run in another folder than `svc-server`. */
const withPaths = (
  request: ChosenCommand['request'],
  { paths = [] }: OperatorCommand,
  cwd: string,
): ChosenCommand['request'] => ({
  ...request,
  args: request.args.map((arg, at) => (paths.includes(at) ? resolve(cwd, arg) : arg)),
})

/**
 * Runs a command in the running service, or here if none runs or the data is in PostgreSQL. While another process has
 * the data folder, the service is asked again and again, since it may have started just now.
 */
async function runWhereItBelongs(name: string, request: OperatorRequest, config: Config): Promise<OperatorOutcome> {
  let outcome: OperatorOutcome | undefined
  const ask = async () => {
    if (config.databaseUrl === undefined) outcome = await askService(config.dataDir, name, request)
    return outcome !== undefined
  }
  if ((await ask()) && outcome) return outcome
  const { openAlone } = await import('../open.ts')
  const alone = await openAlone(config, ask)
  if (!alone) return outcome as unknown as OperatorOutcome
  try {
    return await runOperatorCommand(name, request, alone)
  } finally {
    await alone.close()
  }
}

/** The exit code for an error, and the message to print; no message if the error was already printed. */
function failed(error: unknown): { code: 1 | 2 | 141; message?: string } {
  if (error instanceof CommanderError) return { code: 2 }
  if (error instanceof OutputError) return error.isClosed ? { code: 141 } : { code: 1, message: error.message }
  if (error instanceof UsageError) return { code: 2, message: error.message }
  if (!(error instanceof Error)) return { code: 1, message: String(error) }
  const forPeople = [RefusedError, ConfigError, DataFolderError, StoreError].some((kind) => error instanceof kind)
  if (forPeople) return { code: 1, message: error.message }
  const reason = systemReason(error)
  return { code: 1, message: reason === undefined ? (error.stack ?? error.message) : `The command failed: ${reason}.` }
}

const readVersion = () => readConfig({ env: {}, cwd: '/' }).version
