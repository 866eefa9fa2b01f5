/** Carries out the operations on people's personal channels. */
import { personal } from '@svc/api'
import { addPersonal, beginPersonalTest, changePersonal, listPersonal, removePersonal } from '../alerts/personal.ts'
import { type Bound, looks, personActs } from '../kit/operations.ts'
import { answerOfTest, sealing, sendNow } from './alerts.ts'

export const personalOperations: readonly Bound[] = [
  looks(personal.personalChannels, ({ deps, workspace, who }) => listPersonal(deps.store.db, workspace, who.person)),
  personActs(
    personal.addPersonalChannel,
    ({ workspace, people, ...ctx }, wanted) => addPersonal({ ...ctx, ...sealing(people.config) }, workspace, wanted),
    {},
  ),
  personActs(
    personal.setPersonalChannel,
    ({ workspace, params, ...ctx }, wanted) => changePersonal(ctx, workspace, { ...wanted, name: params.channel }),
    {},
  ),
  personActs(
    personal.testPersonalChannel,
    ({ workspace, params, ...ctx }) => beginPersonalTest(ctx, workspace, params.channel),
    {
      goOn: (deps, _at, { channelId }) => sendNow(deps, channelId),
      answer: ({ deliveryId }, { deps }) => answerOfTest(deps.store.db, deliveryId),
    },
  ),
  personActs(
    personal.removePersonalChannel,
    ({ workspace, params, ...ctx }) => removePersonal(ctx, workspace, params.channel),
    {},
  ),
]
