/**
 * The help texts of every command. `start`, `restore` and `move` run without a service; their code is loaded when it is
 * needed.
 */
import { commands } from '../../operator/commands/all.ts'
import type { CommandHelp } from './program.ts'

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

export const commandHelps: Readonly<Record<string, CommandHelp>> = {
  start: startWords,
  ...commands,
  restore: restoreWords,
  move: moveWords,
}
