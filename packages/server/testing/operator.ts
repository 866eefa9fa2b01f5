/** `svc-server`'s commands in the service that runs, asked from the test's own process: a command costs no start of a program. */
import { resolve } from 'node:path'
import { commands } from '../src/operator/commands/all.ts'
import { readBeside } from '../src/operator/input.ts'
import { choose } from '../src/operator/program.ts'
import { askService, type Outcome } from '../src/operator/socket/socket.ts'

export interface Asked {
  readonly dataDir: string
  /** The folder that paths among the arguments are relative to. */
  readonly cwd: string
  readonly args: readonly string[]
  readonly input?: string
}

/** The outcome of a command; undefined when no service runs there, or when the command does not run inside a service. */
export async function askOperator({ dataDir, cwd, args, input = '' }: Asked): Promise<Outcome | undefined> {
  const [first = '', second = ''] = args
  if (!commands[first] && !commands[`${first} ${second}`]) return undefined
  const chosen = choose(commands, [...args], 'tests')
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
    ...(reads && { file: readBeside(inFolder[reads.at] ?? '', reads) }),
  })
}
