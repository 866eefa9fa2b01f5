import { command } from '../shared/command.ts'
import { granted, typedArgument } from '../shared/request.ts'

export const backupCommands = {
  backup: command({
    says: 'write all data and the secret into one new file, while the service keeps running',
    args: [['<file>', 'a new file; it is as confidential as the data folder']],
    paths: [0],
    run: async (call) => {
      const { writeBackup } = await import('../backup/backup.ts')
      return granted(await writeBackup(call, typedArgument(call, 0), call.now()))
    },
    show: ({ file, bytes, unrecorded }) =>
      [
        `Wrote ${file} (${bytes} bytes). It holds all data and the secret: keep it safe.`,
        ...(unrecorded === undefined ? [] : [`Its time could not be noted in the database: ${unrecorded}.`]),
      ].join('\n'),
  }),
}
