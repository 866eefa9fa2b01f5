import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { transaction } from '../../platform/db/transaction.ts'
import type { Loss } from '../../platform/marks.ts'

/** Ends the warnings about changes that the database lost, because the operator accepts that they are missing. */
export function acceptLoss({ db, by, now }: ChangeContext, { from, until }: Loss): Promise<void> {
  return transaction(db, async (trx) => {
    await trx.deleteFrom('service_back').execute()
    const entry = { workspaceId: null, at: now, by, action: 'service.loss_accepted', subject: 'service' }
    await audit(trx, { ...entry, details: { from, until } })
  })
}
