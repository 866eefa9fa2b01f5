/** Commands for the data of the service: the database, the secret and backups. */
import type { ChangeContext } from '../../people/audit/by.ts'
import { defineCommand } from '../shared/command.ts'
import { asOperator, grantedToOperator, RefusedError, rawArgument } from '../shared/request.ts'

const status = defineCommand({
  says: 'whether the database went back, for example after a failover, and what to do then',
  run: async ({ store }) => {
    const { undecidedLoss } = await import('../../platform/marks.ts')
    return (await undecidedLoss(store.db)) ?? null
  },
  show: (loss: LossShown | null) =>
    loss === null
      ? 'The database lost no changes that the nodes noticed.'
      : [
          'The database went back. Changes that were committed in this time are missing (UTC):',
          '',
          `  from   ${loss.from === null ? 'not known' : new Date(loss.from).toISOString()}`,
          `  until  ${new Date(loss.until).toISOString()}`,
          '',
          'Commands that were waiting then have expired. Tokens, members, sessions and codes that somebody revoked in that time are valid again.',
          'If nobody revoked or removed anything in that time, or you have done it again:  svc-server database accept',
          'Otherwise, with all nodes stopped, so that every agent gets a new token:        svc-server restore --tokens-only',
          'docs/operate.md has the details, under "Failover".',
        ].join('\n'),
})

interface LossShown {
  from: number | null
  until: number
}

export const databaseCommands = {
  'database status': status,
  'database accept': defineCommand({
    says: 'accept that changes are missing after the database went back, and end the alert about it',
    run: async (call) => {
      const { undecidedLoss } = await import('../../platform/marks.ts')
      const loss = await undecidedLoss(call.store.db)
      if (!loss) throw new RefusedError('The database lost no changes that the nodes noticed.')
      await acceptLoss(asOperator(call), loss)
      return { from: loss.from, until: loss.until }
    },
    show: () => 'Accepted. The alert about the database ends with the next evaluation.',
  }),
}

/** Ends the warnings about changes that the database lost, because the operator accepts that they are missing. */
async function acceptLoss({ db, by, now }: ChangeContext, { from, until }: LossShown): Promise<void> {
  const { audit } = await import('../../people/audit/store.ts')
  const { transaction } = await import('../../platform/db/transaction.ts')
  await transaction(db, async (trx) => {
    await trx.deleteFrom('service_back').execute()
    const entry = { workspaceId: null, at: now, by, action: 'service.loss_accepted', subject: 'service' }
    await audit(trx, { ...entry, details: { from, until } })
  })
}

export const secretCommands = {
  'secret adopt': defineCommand({
    says: "make this data folder's secret the one that all nodes on this PostgreSQL must have",
    run: async ({ store, config }) => {
      const { adoptSecret } = await import('../../platform/agreed.ts')
      if (store.engine !== 'postgres')
        throw new RefusedError('The embedded database has only one node, so its secret is already in use.')
      await adoptSecret(store, config.dataDir)
      return { adopted: true }
    },
    show: () =>
      'Adopted. Copy the file "secret" to the data folders of the other nodes and restart them. People who signed in with another secret must sign in again.',
  }),
}

export const backupCommands = {
  backup: defineCommand({
    says: 'write all data and the secret into one new file, while the service keeps running',
    args: [['<file>', 'a new file; it is as confidential as the data folder']],
    paths: [0],
    run: async (call) => {
      const { writeBackup } = await import('../backup/backup.ts')
      return grantedToOperator(await writeBackup(call, rawArgument(call, 0), call.now()))
    },
    show: ({ file, bytes, unrecorded }) =>
      [
        `Wrote ${file} (${bytes} bytes). It holds all data and the secret: keep it safe.`,
        ...(unrecorded === undefined ? [] : [`Its time could not be noted in the database: ${unrecorded}.`]),
      ].join('\n'),
  }),
}
