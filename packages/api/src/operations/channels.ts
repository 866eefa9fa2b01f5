/**
 * Operations on channels, to which messages about alerts are sent, and on the deliveries to them. Only admins change
 * the channels of a workspace. Each person sees and changes their own personal channels.
 */
import {
  type ChannelRow,
  channelPaces,
  type DeliveryRow,
  deliveryStates,
  type FollowedTest,
  type NewChannel,
  type PersonalChannelRow,
  personalKinds,
  type QueuedTest,
} from '../answers/alerts.ts'
import * as bounds from '../bounds.ts'
import { count, flag, list, number, object, oneOf, optional, orNull, pasted, query, text, wordOf } from '../input.ts'
import { change, reading } from '../operation.ts'
import { ruleNames } from '../words/rules.ts'
import { workspaceOrServiceArgument } from './arguments.ts'
import { maxNameLength } from './typed.ts'

const secretMax = 1000
const urlMax = 4000
const channelArgument = ['<slug/name>', 'the workspace, or @service, and the name of the channel'] as const
const pages = ['alerts'] as const

export const channels = reading<ChannelRow[]>()('GET /w/:slug/channels', {
  says: 'list the channels of a workspace with their last answer',
  command: { name: 'channel list', args: [workspaceOrServiceArgument] },
})
export const addChannel = change<NewChannel>()('POST /w/:slug/channels', {
  says: 'add a channel that alerts are sent to',
  input: object({
    name: text(maxNameLength),
    kind: text(maxNameLength),
    url: optional(text(urlMax)),
    to: optional(text(maxNameLength)),
    secret: optional(text(secretMax)),
    format: optional(text(maxNameLength)),
  }),
  makes: true,
  audit: ['channel.added'],
  pages,
  again: 'refused',
  adds: bounds.channels,
  command: {
    name: 'channel add',
    args: [workspaceOrServiceArgument, ['<name>', 'how it is called: lowercase letters, digits, hyphens']],
    options: [
      ['--kind <kind>', 'webhook, email, slack, discord, telegram, ntfy, matrix, pushover, teams, gotify or apprise'],
      ['--url <url>', 'the address, or the server'],
      ['--to <where>', 'the mailbox, chat, room or user'],
      ['--format <format>', 'grouped: messages together, at most every 5 minutes (default); single: each at once'],
    ],
  },
})
export const testChannel = change<QueuedTest>()('POST /w/:slug/channels/:channel/test', {
  says: 'send a test to a channel; the answer of the receiver is read by the id of the delivery',
  audit: { none: 'it changes nothing' },
  pages,
  again: 'new',
  adds: bounds.tests,
  command: { name: 'channel test', args: [channelArgument] },
})
export const channelTest = reading<FollowedTest>()('GET /w/:slug/channels/:channel/tests/:id', {
  says: 'show the state of a test and what the receiver answered',
  right: 'admin',
})
export const enableChannel = change<{ ok: true }>()('POST /w/:slug/channels/:channel/enable', {
  says: 'enable a channel',
  audit: ['channel.enabled'],
  pages,
  again: 'same',
  adds: null,
  command: { name: 'channel enable', args: [channelArgument] },
})
export const disableChannel = change<{ ok: true }>()('POST /w/:slug/channels/:channel/disable', {
  says: 'disable a channel; what waits for it is not sent',
  audit: ['channel.disabled'],
  pages,
  again: 'same',
  adds: null,
  command: { name: 'channel disable', args: [channelArgument] },
})
export const removeChannel = change<{ ok: true }>()('DELETE /w/:slug/channels/:channel', {
  says: 'remove a channel with its deliveries',
  audit: ['channel.removed'],
  pages,
  again: 'refused',
  adds: null,
  command: { name: 'channel remove', args: [channelArgument] },
})
export const deliveries = reading<DeliveryRow[]>()('GET /w/:slug/deliveries', {
  says: 'list the deliveries to the channels of a workspace, newest first',
  right: 'admin',
  input: query({ state: wordOf(deliveryStates, undefined), limit: count(1000, 500) }),
  command: {
    name: 'delivery list',
    args: [workspaceOrServiceArgument],
    options: [['--state <state>', `only these: ${deliveryStates.join(', ')}`]],
  },
})
export const retryDelivery = change<{ ok: true }>()('POST /w/:slug/deliveries/:id/retry', {
  says: 'send a dead delivery again, with the same id and the same body',
  audit: ['delivery.retried'],
  pages,
  again: 'refused',
  adds: null,
  command: { name: 'delivery retry', args: [['<id>', 'as svc-server delivery list names it']] },
})

// The channels that belong to a person.

const right = 'member'
const personalSecretMax = 4000
const zone = pasted({ max: 100 })
const time = pasted({ max: 5 })
const quiet = object({ days: list(number, 7), from: time, to: time })

export const personalChannels = reading<PersonalChannelRow[]>()('GET /w/:slug/my-channels', {
  says: 'list your own channels in a workspace',
})
export const addPersonalChannel = change<PersonalChannelRow>()('POST /w/:slug/my-channels', {
  right,
  says: 'have the alerts of a workspace sent to your own email address or to a browser',
  input: object({
    name: text(maxNameLength),
    kind: oneOf(personalKinds),
    zone,
    secret: optional(text(personalSecretMax)),
  }),
  makes: true,
  audit: ['channel.added'],
  pages,
  again: 'refused',
  adds: bounds.ownChannels,
})
export const setPersonalChannel = change<PersonalChannelRow>()('PATCH /w/:slug/my-channels/:channel', {
  right,
  says: 'choose which alerts one of your own channels gets, and when; what is not named stays as it is',
  input: object({
    enabled: optional(flag),
    rules: optional(orNull(list(oneOf(ruleNames), ruleNames.length))),
    pace: optional(oneOf(channelPaces)),
    quiet: optional(orNull(quiet)),
    badPasses: optional(flag),
    zone: optional(zone),
  }),
  audit: ['channel.changed'],
  pages,
  again: 'same',
  adds: null,
})
export const testPersonalChannel = change<QueuedTest>()('POST /w/:slug/my-channels/:channel/test', {
  right,
  says: 'send a test to one of your own channels; the answer is read by the id of the delivery',
  audit: { none: 'it changes nothing' },
  pages,
  again: 'new',
  adds: bounds.tests,
})
export const personalChannelTest = reading<FollowedTest>()('GET /w/:slug/my-channels/:channel/tests/:id', {
  right,
  says: 'show the state of a test of one of your own channels and what the receiver answered',
})
export const removePersonalChannel = change<{ ok: true }>()('DELETE /w/:slug/my-channels/:channel', {
  right,
  says: 'remove one of your own channels with its deliveries',
  audit: ['channel.removed'],
  pages,
  again: 'refused',
  adds: null,
})
