/** Commands for channels and deliveries. */
import { type ChannelRow, channels, type DeliveryState, deliveryStates } from '@svc/api'
import { shown, trimInvisible } from '@svc/protocol'
import { operationCommand } from '../shared/command.ts'
import { inWorkspaceOrService, onChannel, onDelivery } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, type OperatorRequest, option, UsageError } from '../shared/request.ts'
import { oneSafeLine, tableText, timeText } from '../shared/show.ts'

const maxListed = 500

function enabledCell({ enabled, disabledBecause, failingSince }: ChannelRow): string {
  if (!enabled) return disabledBecause === null ? 'no' : `no: ${disabledBecause}`
  return failingSince === null ? 'yes' : `yes, failing since ${timeText(failingSince)}`
}

export const channelCommands = {
  ...operationCommand(channels.channels, {
    at: inWorkspaceOrService,
    run: async ({ store }, { workspace }) => {
      const { listChannels } = await import('../../alerts/changes/channels.ts')
      return listChannels(store.db, workspace, 'admin')
    },
    show: (all) =>
      tableText(
        ['NAME', 'KIND', 'FORMAT', 'ENABLED', 'ADDRESS', 'LAST ANSWER', 'AT'],
        all.map((c) => [c.name, c.kind, c.format, enabledCell(c), c.address, c.lastAnswer, timeText(c.lastAt)]),
        'There is no channel: nobody is told when an agent goes offline.',
      ),
  }),
  ...operationCommand(channels.addChannel, {
    input: 'Its token or signing secret (a webhook without one gets one)',
    at: inWorkspaceOrService,
    run: async (call, at) => {
      const [kind, url, to, format] = ['kind', 'url', 'to', 'format'].map((name) => option(call, name))
      if (kind === undefined) throw new UsageError('A channel needs a kind: --kind webhook.')
      const secret = trimInvisible(call.input)
      return perform(call, channels.addChannel, at, {
        name: argument(call, 1),
        kind,
        ...(url !== undefined && { url }),
        ...(to !== undefined && { to }),
        ...(format !== undefined && { format }),
        ...(secret !== '' && { secret }),
      })
    },
    show: ({ name, kind, secret }) =>
      secret === undefined
        ? `Added the ${kind} channel ${name}.`
        : `Added the ${kind} channel ${name}. Its signing secret, which is not shown again:\n\n  ${secret}`,
  }),
  ...operationCommand(channels.testChannel, {
    at: onChannel,
    run: async (call, at) => {
      const { answerOfTest } = await import('../../web/operations/alerts.ts')
      return answerOfTest(call, await perform(call, channels.testChannel, at))
    },
    json: ({ ok, status, message }) => ({ ok, status, message }),
    isFailure: ({ ok }) => !ok,
    show: ({ ok, message }) =>
      `${ok ? 'The receiver took the test' : 'The test was not taken'}: ${oneSafeLine(message)}`,
  }),
  ...operationCommand(channels.enableChannel, {
    at: onChannel,
    run: (call, at) => perform(call, channels.enableChannel, at),
    show: () => 'The channel is enabled.',
  }),
  ...operationCommand(channels.disableChannel, {
    at: onChannel,
    run: (call, at) => perform(call, channels.disableChannel, at),
    show: () => 'The channel is disabled.',
  }),
  ...operationCommand(channels.removeChannel, {
    at: onChannel,
    run: (call, at) => perform(call, channels.removeChannel, at),
    show: () => 'The channel is removed.',
  }),
  ...operationCommand(channels.deliveries, {
    at: inWorkspaceOrService,
    run: async (call, { workspace }) => {
      const { listDeliveries } = await import('../../alerts/changes/deliveries.ts')
      return listDeliveries(call.store.db, workspace, { state: stateIn(call), limit: maxListed })
    },
    show: (all) =>
      tableText(
        ['ID', 'CHANNEL', 'KIND', 'STATE', 'TRIES', 'LAST ANSWER', 'MADE', 'NEXT TRY'],
        all.map((d) => [
          d.id,
          d.channel,
          d.kind,
          d.state,
          d.attempt,
          d.lastAnswer,
          timeText(d.createdAt),
          timeText(d.dueAt),
        ]),
        'There is no delivery.',
      ),
    json: (all) =>
      all.map(({ id, channel, state, attempt, lastAnswer }) => ({ id, channel, state, attempt, lastAnswer })),
  }),
  ...operationCommand(channels.retryDelivery, {
    at: onDelivery,
    run: async (call, at) => {
      await perform(call, channels.retryDelivery, at)
      return { id: at.id }
    },
    show: ({ id }) => `The delivery ${id} is sent again.`,
  }),
}

function stateIn(request: OperatorRequest): DeliveryState | undefined {
  const text = option(request, 'state')
  const state = deliveryStates.find((one) => one === text)
  if (text !== undefined && !state)
    throw new UsageError(`A state is one of ${deliveryStates.join(', ')}: got ${shown(text)}.`)
  return state
}
