/**
 * `svc run` as one of the commands of the complete program, with its help. Most starts of `svc run` do not load this
 * file (see plain-run.ts).
 */
import { Command } from 'commander'
import { commandHint, examples } from '../../machine/hint.ts'
import { withCommonOptions } from '../kit/common.ts'
import { runAgent } from './run-agent.ts'

export const runCommand = (): Command =>
  withCommonOptions(new Command('run'))
    .summary('run this agent and report, until stopped')
    .description(
      `Starts the agent as its manifest says, restarts it when it ends, reports and takes commands, until Ctrl-C or SIGTERM.\nIf svc itself is killed, the agent keeps running, and the next "${commandHint('run')}" takes it over.`,
    )
    .addHelpText(
      'after',
      `${examples('run', 'run --dir /srv/mail-triage')}\n\nWith --json each line on standard output is one JSON object: {"at": …, "message": …}.`,
    )
    .action(runAgent)
