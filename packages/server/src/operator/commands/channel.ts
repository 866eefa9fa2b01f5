/** Commands for channels and deliveries. */
import {
  alerts,
  type ChannelRow,
  type ChannelTest,
  type DeliveryRow,
  type DeliveryState,
  deliveryStates,
  type NewChannel,
} from '@svc/api'
import { bare, shown } from '@svc/protocol'
import { commandOf, type Stores } from '../shared/command.ts'
import { argument, Misused, option, type Request, type Service } from '../shared/request.ts'
import { line, moment, table } from '../shared/show.ts'
import { placeIn, placeOfId } from './alert.ts'

const listed = 500

function enabledCell({ enabled, disabledBecause, failingSince }: ChannelRow): string {
  if (!enabled) return disabledBecause === null ? 'no' : `no: ${disabledBecause}`
  return failingSince === null ? 'yes' : `yes, failing since ${moment(failingSince)}`
}

export const channelCommands = {
  ...commandOf<ChannelRow[]>(alerts.channels, {
    run: async (request, service, stores) =>
      stores.listChannels(service.store.db, await placeIn(service, stores, argument(request, 0)), 'admin'),
    show: (all) =>
      table(
        ['NAME', 'KIND', 'FORMAT', 'ENABLED', 'ADDRESS', 'LAST ANSWER', 'AT'],
        all.map((c) => [c.name, c.kind, c.format, enabledCell(c), c.address, c.lastAnswer, moment(c.lastAt)]),
        'There is no channel: nobody is told when an agent goes offline.',
      ),
  }),
  ...commandOf<NewChannel>(alerts.addChannel, {
    input: 'Its token or signing secret (a webhook without one gets one)',
    run: async (request, service, stores) => {
      const workspace = await placeIn(service, stores, argument(request, 0))
      const [kind, url, to, format] = ['kind', 'url', 'to', 'format'].map((name) => option(request, name))
      if (kind === undefined) throw new Misused('A channel needs a kind: --kind webhook.')
      const secret = bare(request.input)
      return stores.perform(
        service,
        stores.channelAdded,
        { workspace },
        {
          name: argument(request, 1),
          kind,
          ...(url !== undefined && { url }),
          ...(to !== undefined && { to }),
          ...(format !== undefined && { format }),
          ...(secret !== '' && { secret }),
        },
      )
    },
    show: ({ name, kind, secret }) =>
      secret === undefined
        ? `Added the ${kind} channel ${name}.`
        : `Added the ${kind} channel ${name}. Its signing secret, which is not shown again:\n\n  ${secret}`,
  }),
  ...commandOf<ChannelTest>(alerts.testChannel, {
    run: async (request, service, stores) => {
      const at = await channelAt(request, service, stores)
      const begun = await stores.perform(service, stores.channelTested, at, undefined)
      return stores.answerOfTest(service, begun)
    },
    json: ({ ok, status, message }) => ({ ok, status, message }),
    isFailure: ({ ok }) => !ok,
    show: ({ ok, message }) => `${ok ? 'The receiver took the test' : 'The test was not taken'}: ${line(message)}`,
  }),
  ...commandOf<{ ok: true }>(alerts.enableChannel, {
    run: async (request, service, stores) =>
      stores.perform(service, stores.channelEnabled, await channelAt(request, service, stores), undefined),
    show: () => 'The channel is enabled.',
  }),
  ...commandOf<{ ok: true }>(alerts.disableChannel, {
    run: async (request, service, stores) =>
      stores.perform(service, stores.channelDisabled, await channelAt(request, service, stores), undefined),
    show: () => 'The channel is disabled.',
  }),
  ...commandOf<{ ok: true }>(alerts.removeChannel, {
    run: async (request, service, stores) =>
      stores.perform(service, stores.channelRemoved, await channelAt(request, service, stores), undefined),
    show: () => 'The channel is removed.',
  }),
  ...commandOf<DeliveryRow[]>(alerts.deliveries, {
    run: async (request, service, stores) => {
      const place = await placeIn(service, stores, argument(request, 0))
      return stores.listDeliveries(service.store.db, place, { state: stateIn(request), limit: listed })
    },
    show: (all) =>
      table(
        ['ID', 'CHANNEL', 'KIND', 'STATE', 'TRIES', 'LAST ANSWER', 'MADE', 'NEXT TRY'],
        all.map((d) => [
          d.id,
          d.channel,
          d.kind,
          d.state,
          d.attempt,
          d.lastAnswer,
          moment(d.createdAt),
          moment(d.dueAt),
        ]),
        'There is no delivery.',
      ),
    json: (all) =>
      all.map(({ id, channel, state, attempt, lastAnswer }) => ({ id, channel, state, attempt, lastAnswer })),
  }),
  ...commandOf(alerts.retryDelivery, {
    run: async (request, service, stores) => {
      const id = argument(request, 0)
      const workspace = await placeOfId(service, stores, 'delivery', id)
      await stores.perform(
        service,
        stores.deliveryRetried,
        { workspace, params: { slug: workspace.slug, id } },
        undefined,
      )
      return { id }
    },
    show: ({ id }) => `The delivery ${id} is sent again.`,
  }),
}

/** The channel that the argument `SLUG/NAME` names; `@service` may stand for the workspace. */
async function channelAt(request: Request, service: Service, stores: Stores) {
  const path = argument(request, 0)
  const [slug, channel, more] = path.split('/')
  if (!slug || !channel || more !== undefined) throw new Misused(`A channel is named SLUG/NAME: got ${shown(path)}.`)
  const workspace = await placeIn(service, stores, slug)
  return { workspace, params: { slug: workspace.slug, channel } }
}

function stateIn(request: Request): DeliveryState | undefined {
  const text = option(request, 'state')
  const state = deliveryStates.find((one) => one === text)
  if (text !== undefined && !state)
    throw new Misused(`A state is one of ${deliveryStates.join(', ')}: got ${shown(text)}.`)
  return state
}
