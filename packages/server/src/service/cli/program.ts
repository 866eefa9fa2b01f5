/**
 * Describes the commands of `svc-server` to the library commander: groups, arguments, options and help. The functions
 * of the commands are in operator/commands/ and this folder.
 */
import { Command, CommanderError } from 'commander'
import type { OperatorCommand } from '../../operator/shared/command.ts'
import type { OperatorRequest } from '../../operator/shared/request.ts'

/**
 * The help texts of a command, without the function that runs it. main.ts loads that function of `start`, `restore`,
 * `move` and `mcp` only when the command is run.
 */
export type CommandHelp = Pick<OperatorCommand, 'says' | 'formerly' | 'args' | 'options' | 'input'>

export interface ChosenCommand {
  name: string
  request: Omit<OperatorRequest, 'input'>
  json: boolean
  dataDir: string | undefined
}

/** The version that `--version` prints, and the functions with which the library commander prints its texts. */
interface PrintFunctions {
  readonly version: string
  readonly out: (text: string) => unknown
  readonly err: (text: string) => unknown
}

/**
 * The command that these arguments ask for; undefined after it printed help or the version. If there is no such
 * command, it prints a message to standard error and throws a CommanderError.
 */
export function chooseCommand(
  words: Readonly<Record<string, CommandHelp>>,
  argv: string[],
  { version, out, err }: PrintFunctions,
): ChosenCommand | undefined {
  let chosen: ChosenCommand | undefined
  const program = new Command('svc-server')
    .description('Runs the service and controls it, on its own machine.')
    .version(version)
    .option('--json', 'print one JSON value and nothing else')
    .option('--data-dir <folder>', 'the data folder (else SVC_DATA_DIR, else ./svc-data)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void out(text), writeErr: (text) => void err(text) })
    .showHelpAfterError('(svc-server --help lists all commands)')
    .exitOverride()
  const groups = new Map<string, Command>()
  const add = (name: string, { says, args = [], options = [] }: CommandHelp, typed: string) => {
    const [first = '', second] = typed.split(' ')
    const parent = second === undefined ? program : groupOf(program, groups, first)
    const command = parent.command(second ?? first, { hidden: typed !== name }).description(says)
    for (const [argument, help] of args) command.argument(argument, help)
    for (const [flags, help] of options) command.option(flags, help)
    command.action(() => {
      const { json = false, dataDir } = program.opts<{ json?: boolean; dataDir?: string }>()
      chosen = { name, request: { args: command.args, options: command.opts() }, json, dataDir }
    })
  }
  for (const [name, help] of Object.entries(words))
    for (const typed of [name, ...(help.formerly === undefined ? [] : [help.formerly])]) add(name, help, typed)
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined
    throw error
  }
  return chosen
}

function groupOf(program: Command, groups: Map<string, Command>, name: string): Command {
  const known = groups.get(name)
  if (known) return known
  const group = program.command(name).description(groupSays[name] ?? '')
  groups.set(name, group)
  return group
}

const groupSays: Readonly<Record<string, string>> = {
  workspace: 'workspaces, and the products they are activated for',
  person: 'the accounts of people',
  member: 'who belongs to a workspace',
  agent: 'agents and their tokens',
  command: 'commands to agents',
  log: 'logs that agents sent',
  product: 'other services that agents use',
  blueprint: 'the packages that agents are installed from',
  code: 'install codes',
  bot: 'accounts that agents use in products',
  release: 'the runtime that /cli/ serves',
  wish: 'the versions that agents and their runtimes should run',
  rollout: 'updates of many agents in waves',
  alert: 'open alerts, acknowledgements and mutes',
  rule: 'the rules by which alerts open',
  channel: 'the places that alerts are sent to',
  delivery: 'messages on their way to channels',
  audit: 'the activity: who did what, and when',
  history: 'states and changes of agents, and what a workspace cost',
  action: 'commands to many agents, and what became of each',
  view: 'saved filters, orders and columns of the list of agents',
  database: 'whether the database lost changes',
  secret: 'the secret that signs cookies, the same on all nodes',
}
