import type { ChangeContext } from '../../people/audit/by.ts'
import { command } from '../shared/command.ts'
import { asOperator, Refused } from '../shared/request.ts'

const status = command({
  says: 'whether the database went back, for example after a failover, and what to do then',
  run: async ({ store }) => {
    const { openLoss } = await import('../../platform/marks.ts')
    return (await openLoss(store.db)) ?? null
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
  'database accept': command({
    says: 'accept that changes are missing after the database went back, and end the alert about it',
    run: async (call) => {
      const { openLoss } = await import('../../platform/marks.ts')
      const loss = await openLoss(call.store.db)
      if (!loss) throw new Refused('The database lost no changes that the nodes noticed.')
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
