/** The commands of `svc`, grouped by what a person wants; one file each. */
import { Command } from 'commander'
import { hint, noteDir, noteStart } from '../hint.ts'
import { version } from '../version.ts'
import { account } from './account.ts'
import { check } from './check.ts'
import { connect } from './connect.ts'
import { doctor } from './doctor.ts'
import { drill } from './drill.ts'
import { execute } from './execute.ts'
import { init } from './init.ts'
import { logs } from './logs.ts'
import { newCommand } from './new.ts'
import { olderThanFolder } from './older.ts'
import { outbox } from './outbox.ts'
import { columns, warn } from './output.ts'
import { pack } from './pack.ts'
import { pinRuntime } from './pin-runtime.ts'
import { remove } from './remove.ts'
import { report } from './report.ts'
import { rollback, unhold } from './rollback.ts'
import { rollbackRuntime } from './rollback-runtime.ts'
import { runCommand } from './run.ts'
import { secrets } from './secrets.ts'
import { self } from './self.ts'
import { service } from './service.ts'
import { set, settings } from './settings.ts'
import { restart, start, stop } from './start.ts'
import { status } from './status.ts'
import { pauseCommand, resumeCommand, runNowCommand } from './steer.ts'
import { why } from './why.ts'

const groups: readonly (readonly [title: string, commands: readonly (() => Command)[]])[] = [
  ['Install an agent:', [init, service, remove]],
  ['Run it:', [runCommand, start, stop, restart]],
  ['Its versions:', [rollback, unhold, drill]],
  ['Look:', [status, why, logs, outbox, doctor]],
  [
    'Steer, with or without the service:',
    [pauseCommand, resumeCommand, runNowCommand, set, settings, secrets, account],
  ],
  ['Its runtime, svc itself:', [rollbackRuntime, pinRuntime, self]],
  ['Report an agent that somebody else starts:', [connect, report]],
  ['Make a blueprint:', [newCommand, check, pack]],
]

export function program(): Command {
  const svc = new Command('svc')
    .description(
      'Runs an agent on this machine, reports it to your service, and steers it from here.\nEverything the service can do to an agent can be done and undone here without it.',
    )
    .version(version, '-V, --version', 'print the version of this program')
    .helpOption('-h, --help', 'explain a command')
    .commandsGroup('Help:')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText(
      'after',
      `\nOne folder is one agent: its svc.agent.yaml says what it offers. Commands look in the current folder, or in --dir.\nExit codes: 0 done, 1 refused, 2 wrong usage, 3 the service was needed and not reached.\n\nBegin with:\n${begin()}`,
    )
  for (const [title, commands] of groups) {
    for (const make of commands) svc.addCommand(make().helpGroup(title))
  }
  return svc.hook('preAction', (_, action) => {
    const dir = folderGiven(action)
    noteDir(dir)
    const older = dir === undefined ? undefined : olderThanFolder(dir)
    if (older !== undefined) warn(older)
  })
}

/** Of commands that work in the folder of an agent that is there. */
const folderGiven = (action: Command): string | undefined =>
  ['init', 'new'].includes(action.name()) ? undefined : action.opts<{ dir?: string }>().dir

const begin = (): string =>
  columns([
    [`$ ${hint('init --url https://svc.example.com')}`, 'with an install code'],
    [`$ ${hint('connect --url https://svc.example.com')}`, 'with an agent of your own'],
  ])
    .map((line) => `  ${line}`)
    .join('\n')

export function run(args: readonly string[]): Promise<void> {
  noteStart()
  return execute(program(), args)
}
