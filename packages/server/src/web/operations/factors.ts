/** Carries out the operations on a person's second factors. Proofs and the second half of a sign-in have own routes. */
import { factors } from '@svc/api'
import { beginTotp, confirmTotp, factorsOf, makeRecoveryCodes, removeTotp } from '../../people/accounts/factors.ts'
import { isOldNodeAmong } from '../../people/factors/nodes.ts'
import type { Live } from '../../platform/base.ts'
import type { Db } from '../../platform/db/open.ts'
import { Refusal } from '../../platform/refusal.ts'
import { looks, personActs } from '../routing/operations.ts'
import { noteClocks } from '../routing/sign-in-second.ts'

/** Refuses a first factor while a node is heard that would sign its person in without asking for it. */
async function refuseOldNodes(db: Db, live: Live): Promise<void> {
  if (await isOldNodeAmong(db, live.nodesHeard?.() ?? [])) throw new Refusal('nodes_mixed')
}

export const factorOperations = [
  looks(factors.factors, ({ deps, who }) => factorsOf(deps.store.db, deps.config, who.person, who.session)),
  personActs(factors.beginTotp, async ({ people, ...ctx }) => {
    await refuseOldNodes(ctx.db, people.live)
    return beginTotp({ ...ctx, config: people.config })
  }),
  personActs(factors.confirmTotp, async ({ people, ...ctx }, { code }) => {
    await refuseOldNodes(ctx.db, people.live)
    const clocksDiffer = (seconds: number) => people.log && noteClocks(people.log, ctx.by, seconds)
    return confirmTotp({ ...ctx, config: people.config, clocksDiffer }, code)
  }),
  personActs(factors.makeRecoveryCodes, ({ people, ...ctx }) => makeRecoveryCodes({ ...ctx, config: people.config })),
  personActs(factors.removeTotp, ({ people, ...ctx }) => removeTotp({ ...ctx, config: people.config }), {
    answer: () => ({ ok: true as const }),
  }),
]
