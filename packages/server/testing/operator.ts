/**
 * Runs commands of `svc-server` in the test's own process, because starting a program costs some hundred times more
 * than the command.
 */
import { resolve } from 'node:path'
import { commands } from '../src/operator/commands/all.ts'
import { askService, type OperatorOutcome } from '../src/operator/socket/socket.ts'
import { type CommandSurroundings, main } from '../src/service/cli/main.ts'
import { chooseCommand } from '../src/service/cli/program.ts'
import { readLocalFile } from '../src/service/cli/streams.ts'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/**
 * The commands of `svc-server` that change settings of the whole process, or that run until the process ends. Tests
 * have to start them as separate processes.
 */
const ofAProcess = ['start', 'restore', 'move']

export const runsHere = ([first = '']: readonly string[]): boolean => !ofAProcess.includes(first)

/**
 * Runs `svc-server` in the test's own process, from its arguments to its exit code. If a service runs on the data
 * folder, that service carries out the command.
 */
export async function runHere(
  args: readonly string[],
  around: Pick<CommandSurroundings, 'env' | 'cwd'>,
  input = '',
): Promise<Ran> {
  const said = { stdout: '', stderr: '' }
  const umask = process.umask()
  try {
    const code = await main([...args], {
      ...around,
      read: () => Promise.resolve(input),
      out: (text) => {
        said.stdout += text
        return Promise.resolve()
      },
      err: (text) => {
        said.stderr += text
      },
    })
    return { code, ...said }
  } finally {
    process.umask(umask)
  }
}

const ignore = () => {}

export interface TypedCommand {
  readonly dataDir: string
  /** The folder to which relative paths among the arguments refer. */
  readonly cwd: string
  readonly args: readonly string[]
  readonly input?: string
}

/**
 * Asks the running service to carry out a command and returns the outcome. Undefined if no service runs, or if the
 * command is never carried out by a running service.
 */
export async function askOperator({
  dataDir,
  cwd,
  args,
  input = '',
}: TypedCommand): Promise<OperatorOutcome | undefined> {
  const [first = '', second = ''] = args
  if (!commands[first] && !commands[`${first} ${second}`]) return undefined
  const chosen = chooseCommand(commands, [...args], { version: 'tests', out: ignore, err: ignore })
  const command = chosen && commands[chosen.name]
  if (!command) return undefined
  const { paths = [], reads } = command
  const inFolder = chosen.request.args.map((arg, at) =>
    paths.includes(at) || reads?.at === at ? resolve(cwd, arg) : arg,
  )
  return await askService(dataDir, chosen.name, {
    ...chosen.request,
    args: inFolder,
    input: command.input === undefined ? '' : input,
    ...(reads && { file: readLocalFile(inFolder[reads.at] ?? '', reads) }),
  })
}
