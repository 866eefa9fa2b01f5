/** Runs the command line `args` of `svc`, and sets the exit code. */
import { type Command, CommanderError } from 'commander'
import { exitOf, exits, guardOutput } from './kit/output.ts'

export async function execute(svc: Command, args: readonly string[]): Promise<void> {
  for (const command of [svc, ...svc.commands, ...svc.commands.flatMap((c) => c.commands)]) {
    command
      .exitOverride()
      .configureOutput({ outputError: (text, write) => write(text) })
      .showHelpAfterError('Add --help to see how to use it.')
  }
  guardOutput()
  try {
    await svc.parseAsync(args, { from: 'user' })
    process.exitCode ??= exits.done
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? exitOfUsage(error) : exitOf(error)
  }
}

const exitOfUsage = ({ exitCode }: CommanderError): number => (exitCode === 0 ? exits.done : exits.usage)
