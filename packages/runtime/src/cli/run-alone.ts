/** `svc run` and nothing beside it: what the other commands would load stays out of a process that lives for months. */
import { Command } from 'commander'
import { execute } from './execute.ts'
import { runCommand } from './run.ts'

export const runAlone = (args: readonly string[]): Promise<void> =>
  execute(new Command('svc').addCommand(runCommand()), args)
