/** Carries out the operations on people's personal channels. */
import { personal } from '@svc/api'
import { removeChannel, testChannel, testOf } from '../../alerts/changes/channels.ts'
import { addPersonalChannel, listPersonal, setPersonalChannel } from '../../alerts/changes/personal.ts'
import { Refusal } from '../../platform/refusal.ts'
import { looks, personActs } from '../routing/operations.ts'
import { sealing } from './alerts.ts'

export const personalOperations = [
  looks(personal.personalChannels, ({ deps, workspace, who }) => listPersonal(deps.store.db, workspace, who.person)),
  personActs(personal.addPersonalChannel, ({ workspace, people, ...ctx }, wanted) =>
    addPersonalChannel({ ...ctx, ...sealing(people.config) }, workspace, wanted),
  ),
  personActs(personal.setPersonalChannel, ({ workspace, params, ...ctx }, wanted) =>
    setPersonalChannel(ctx, workspace, { ...wanted, name: params.channel }),
  ),
  personActs(
    personal.testPersonalChannel,
    ({ workspace, params, ...ctx }) => testChannel(ctx, { place: workspace, person: ctx.by }, params.channel),
    { answer: ({ deliveryId: id }) => ({ id }) },
  ),
  looks(personal.personalChannelTest, async ({ deps, workspace, params, who }) => {
    const found = await testOf(deps.store.db, { place: workspace, person: who.person }, params)
    if (!found) throw new Refusal('delivery_unknown')
    return found
  }),
  personActs(personal.removePersonalChannel, ({ workspace, params, ...ctx }) =>
    removeChannel(ctx, { place: workspace, person: ctx.by }, params.channel),
  ),
]
