/** The commands of `svc`, grouped by the purposes for which people use them. */
import { compareVersions, isVersion } from '@svc/protocol'
import { Command, CommanderError } from 'commander'
import { ownVersion } from '../machine/base/version.ts'
import { folderAt } from '../machine/files/folder.ts'
import { commandHint, noteDir, noteStart, shellQuoted } from '../machine/hint.ts'
import { readInsideRelease } from '../updates/runtime/release.ts'
import { alignedColumns, exits, handleOutputErrors, printFailure, warn } from './kit/output.ts'

type MakeCommand = () => Promise<Command>

/**
 * The commands by group. A start of `svc` loads only the commands that it needs, since loading takes most of the time
 * of a start.
 */
const groups: readonly (readonly [title: string, commands: Readonly<Record<string, MakeCommand>>])[] = [
  [
    'Install an agent:',
    {
      init: async () => (await import('./install/init.ts')).init(),
      service: async () => (await import('./run/service.ts')).service(),
      remove: async () => (await import('./install/remove.ts')).remove(),
    },
  ],
  [
    'Run it:',
    {
      run: async () => (await import('./run/run.ts')).runCommand(),
      start: async () => (await import('./run/start.ts')).start(),
      stop: async () => (await import('./run/start.ts')).stop(),
      restart: async () => (await import('./run/start.ts')).restart(),
    },
  ],
  [
    'Its versions:',
    {
      rollback: async () => (await import('./run/rollback.ts')).rollback(),
      unhold: async () => (await import('./run/rollback.ts')).unhold(),
      unwatch: async () => (await import('./run/rollback.ts')).unwatch(),
      drill: async () => (await import('./author/drill/drill.ts')).drill(),
    },
  ],
  [
    'Look:',
    {
      status: async () => (await import('./look/status.ts')).status(),
      why: async () => (await import('./look/why.ts')).why(),
      logs: async () => (await import('./look/logs.ts')).logs(),
      outbox: async () => (await import('./look/outbox.ts')).outbox(),
      doctor: async () => (await import('./look/doctor.ts')).doctor(),
    },
  ],
  [
    'Control, with or without the service:',
    {
      pause: async () => (await import('./steer/steer.ts')).pauseCommand(),
      resume: async () => (await import('./steer/steer.ts')).resumeCommand(),
      'run-now': async () => (await import('./steer/steer.ts')).runNowCommand(),
      set: async () => (await import('./steer/settings.ts')).set(),
      settings: async () => (await import('./steer/settings.ts')).settings(),
      secrets: async () => (await import('./steer/secrets.ts')).secrets(),
      account: async () => (await import('./steer/account.ts')).account(),
    },
  ],
  [
    'Its runtime, svc itself:',
    {
      'rollback-runtime': async () => (await import('./run/rollback-runtime.ts')).rollbackRuntime(),
      'pin-runtime': async () => (await import('./run/pin-runtime.ts')).pinRuntime(),
      self: async () => (await import('./install/self.ts')).self(),
    },
  ],
  [
    'Report an agent that something else starts:',
    {
      connect: async () => (await import('./install/connect.ts')).connect(),
      report: async () => (await import('./run/report.ts')).report(),
    },
  ],
  [
    'Jobs and AI sessions of this machine:',
    {
      adopt: async () => (await import('./host/adopt.ts')).adopt(),
      exec: async () => (await import('./host/exec.ts')).exec(),
      jobs: async () => (await import('./host/jobs.ts')).jobs(),
      sessions: async () => (await import('./host/sessions.ts')).sessionsCommand(),
      watch: async () => (await import('./host/watch.ts')).watchCommand(),
    },
  ],
  [
    'Make a blueprint:',
    {
      new: async () => (await import('./author/new.ts')).newCommand(),
      check: async () => (await import('./author/check.ts')).check(),
      pack: async () => (await import('./author/pack.ts')).pack(),
    },
  ],
]

/** Builds the program with only the commands that `args` need. */
export async function buildProgram(args: readonly string[]): Promise<Command> {
  const svc = new Command('svc')
    .description(
      'Runs an agent on this machine, reports on it to your service, and controls it from here.\nEverything the service can do to an agent can also be done and undone here, without the service.',
    )
    .version(ownVersion, '-V, --version', 'print the version of this program')
    .helpOption('-h, --help', 'explain a command')
    .commandsGroup('Help:')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText(
      'after',
      `\nOne folder is one agent: its svc.agent.yaml says what it offers. Commands look in the current folder, or in --dir.\nExit codes: 0 done, 1 refused, 2 wrong usage, 3 the service was needed and not reached.\n\nBegin with:\n${begin()}`,
    )
  for (const [title, make] of needed(args)) svc.addCommand((await make()).helpGroup(title))
  return svc.hook('preAction', (_, action) => {
    const dir = folderGiven(action)
    noteDir(dir)
    const older = dir === undefined ? undefined : olderThanFolder(dir)
    if (older !== undefined) warn(older)
  })
}

/**
 * Returns the command that `args` name, no command for `--version`, and all commands for anything else, such as help.
 */
function needed([first = '']: readonly string[]): (readonly [title: string, make: MakeCommand])[] {
  if (['-V', '--version'].includes(first)) return []
  const all = groups.flatMap(([title, commands]) =>
    Object.entries(commands).map(([name, make]) => ({ name, of: [title, make] as const })),
  )
  const named = all.filter(({ name }) => name === first)
  return (named.length > 0 ? named : all).map(({ of }) => of)
}

/** Returns the value of `--dir`; undefined for the commands that create a folder. */
const folderGiven = (action: Command): string | undefined =>
  ['init', 'new'].includes(action.name()) ? undefined : action.opts<{ dir?: string }>().dir

const begin = (): string =>
  alignedColumns([
    [`$ ${commandHint('init --url https://svc.example.com')}`, 'with an install code'],
    [`$ ${commandHint('connect --url https://svc.example.com')}`, 'with an agent of your own'],
  ])
    .map((line) => `  ${line}`)
    .join('\n')

export async function runSvc(args: readonly string[]): Promise<void> {
  noteStart()
  return execute(await buildProgram(args), args)
}

async function execute(svc: Command, args: readonly string[]): Promise<void> {
  for (const command of [svc, ...svc.commands, ...svc.commands.flatMap((c) => c.commands)]) {
    command
      .exitOverride()
      .configureOutput({ outputError: (text, write) => write(text) })
      .showHelpAfterError('Add --help to see how to use it.')
  }
  handleOutputErrors()
  try {
    await svc.parseAsync(args, { from: 'user' })
    process.exitCode ??= exits.done
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? exitOfUsage(error) : printFailure(error)
  }
}

const exitOfUsage = ({ exitCode }: CommanderError): number => (exitCode === 0 ? exits.done : exits.usage)

// Warns if the running `svc` command is older than the runtime in the agent's folder. The runtime updates itself, but
// the command that a person installed on the machine does not.

/**
 * Returns the warning to print before the command does its work; undefined if the command is at least as new as the
 * runtime in the folder, or if the version of either is not known.
 */
function olderThanFolder(dir: string, own: string = ownVersion): string | undefined {
  const { runtime } = folderAt(dir)
  const there = readInsideRelease(runtime)?.version
  if (there === undefined || !isVersion(own) || !isVersion(there) || compareVersions(own, there) >= 0) return undefined
  return `This svc is ${own}, and the runtime in this folder is ${there}. Renew the command with: ${shellQuoted(runtime)} self install`
}
