/**
 * `svc exec`: only its help is here. A call with a command never loads this code; host/jobs/exec.ts reads its
 * arguments.
 */
import { Command } from 'commander'
import { commandHint, examples } from '../../machine/hint.ts'

export const exec = (): Command =>
  new Command('exec')
    .usage('NAME [options] -- COMMAND …')
    .summary('run a command and record how it ended')
    .description(
      `Runs the command of a job, and records when it began and how it ended. The exit code is that of the command. A mistake in the options never stops the command: it then runs without a record. In a crontab use svc-exec, which "${commandHint('self install')}" writes: it takes the same arguments, and runs the command also if svc or Node is missing.`,
    )
    .option('--every <duration>', 'the job runs once in this time, such as 1d')
    .option('--cron <schedule>', "the job runs at these times, such as '0 3 * * *'; in a crontab its own line counts")
    .option('--tz <zone>', 'the time zone of --cron (default: that of the machine)')
    .option('--grace <duration>', 'how late it may begin before it is overdue')
    .option('--timeout <duration>', 'end the command after this time: SIGTERM, and SIGKILL 10 s later')
    .option('--no-overlap', 'do not start the command while another run of the job lives; the exit code is then 0')
    .option('--log', 'write the output to a file, which an admin can request from the page')
    .addHelpText(
      'after',
      examples(
        'exec backup --every 1d --log -- ./backup.sh',
        "exec report --cron '0 3 * * *' --grace 30m --timeout 1h -- python3 report.py",
      ),
    )
    .addHelpText(
      'after',
      '\nDurations are a whole number with s, m, h or d. The command finds its name in SVC_JOB, and may write JSON with cost_usd, output_tokens, models and subjects to the file SVC_RUN_FILE.\nExit codes besides those of the command: 124 timed out, 125 no command, 126 not executable, 127 not found.',
    )
