/**
 * Operations on alerts, the rules by which alerts open, mutes, channels, and the deliveries of messages to channels.
 */
import {
  type AcknowledgeResult,
  type ChannelRow,
  type DeliveryRow,
  deliveryStates,
  type FollowedTest,
  type ListedAlert,
  type MuteRow,
  type NewChannel,
  type QueuedTest,
  type RuleSettings,
} from '../answers/alerts.ts'
import * as bounds from '../bounds.ts'
import {
  count,
  flag,
  InputRefused,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  pasted,
  prose,
  query,
  type Reader,
  reader,
  text,
  wordOf,
  yesOrNo,
} from '../input.ts'
import { change, reading } from '../operation.ts'
import { maxDurationSeconds } from '../words/durations.ts'
import { ruleNames } from '../words/rules.ts'
import { filterText } from './filter-text.ts'
import { maxNameLength } from './typed.ts'

const noteMax = 1000
const acknowledgedMax = 1000
const statusesMax = 20
const maxChannels = 100
const secretMax = 1000
const urlMax = 4000
const workspaceOrServiceArgument = ['<slug>', "the workspace's short name, or @service for the service itself"] as const
const channelArgument = ['<slug/name>', 'the workspace, or @service, and the name of the channel'] as const
const seen = ['alerts'] as const

/** Reads a duration in seconds, within the allowed range. */
const seconds: Reader<number> = reader(number.form, (value, field) => {
  const read = number(value, field)
  if (Number.isInteger(read) && read >= 0 && read <= maxDurationSeconds) return read
  throw new InputRefused(
    `${field} must be a whole number of seconds, at most ${maxDurationSeconds} (30 days): got ${read}.`,
  )
})
/** Reads an amount in US dollars, which must be more than 0 and at most 1,000,000. */
const dollars: Reader<number> = reader(number.form, (value, field) => {
  const read = number(value, field)
  if (read > 0 && read <= 1_000_000) return read
  throw new InputRefused(`${field} must be more than 0 and at most 1,000,000 US dollars: got ${read}.`)
})

export const alerts = reading<ListedAlert[]>()('GET /w/:slug/alerts', {
  says: 'list the alerts of a workspace that have not ended',
  input: query({ all: yesOrNo, limit: count(1000, 500) }),
  command: {
    name: 'alert list',
    args: [workspaceOrServiceArgument],
    options: [['--all', 'also those that have ended, the newest 500']],
  },
})
export const acknowledgeAlert = change<{ ok: true }>()('POST /w/:slug/alerts/:id/acknowledge', {
  says: 'acknowledge an open alert, so that it is not repeated and does not escalate',
  right: 'member',
  input: object({ note: optional(prose(noteMax)) }),
  audit: ['alert.acknowledged'],
  pages: seen,
  again: 'same',
  adds: null,
  command: {
    name: 'alert acknowledge',
    args: [['<id>', 'as svc-server alert list names it']],
    options: [['--note <text>', 'what the others should know']],
  },
})
export const acknowledgeAlerts = change<AcknowledgeResult>()('POST /w/:slug/alerts/acknowledge', {
  says: 'acknowledge many open alerts at once; those that have ended or are acknowledged stay as they are',
  right: 'member',
  input: object({ ids: list(pasted(), acknowledgedMax), note: optional(prose(noteMax)) }),
  audit: ['alert.acknowledged'],
  pages: seen,
  again: 'same',
  adds: null,
})
export const muteAlerts = change<MuteRow>()('POST /w/:slug/mutes', {
  says: 'send nothing about an agent, one of its health items, a rule or the workspace for a while',
  right: 'member',
  input: object({
    agent: optional(pasted()),
    rule: optional(oneOf(ruleNames)),
    item: optional(pasted({ reported: true })),
    seconds: orNull(seconds),
    from: optional(number),
  }),
  makes: true,
  audit: ['alert.muted'],
  pages: seen,
  again: 'new',
  adds: bounds.mutes,
  command: {
    name: 'alert mute',
    args: [workspaceOrServiceArgument],
    options: [
      ['--agent <name>', 'only this agent (default: all)'],
      ['--rule <rule>', 'only this rule (default: all)'],
      ['--item <item>', 'only this health item of the agent, such as "Job backup"'],
      ['--for <duration>', 'such as 30m, 8h or 2d, or over: until nothing that it covers is open'],
    ],
  },
})
export const mutes = reading<MuteRow[]>()('GET /w/:slug/mutes', {
  says: 'list the mutes that have not ended',
  command: { name: 'alert mutes', args: [workspaceOrServiceArgument] },
})
export const liftMute = change<{ ok: true }>()('DELETE /w/:slug/mutes/:id', {
  says: 'lift a mute; what is still open is then sent once',
  right: 'member',
  audit: ['alert.unmuted'],
  pages: seen,
  again: 'refused',
  adds: null,
  command: { name: 'alert unmute', args: [['<id>', 'as svc-server alert mutes names it']] },
})
export const rules = reading<RuleSettings[]>()('GET /w/:slug/rules', {
  says: 'list the rules by which alerts open',
  command: { name: 'rule list', args: [workspaceOrServiceArgument] },
})
export const setRule = change<RuleSettings>()('PATCH /w/:slug/rules', {
  says: 'change a rule; what is not named stays as it is',
  input: object({
    rule: pasted(),
    on: optional(flag),
    after: optional(seconds),
    limit: optional(orNull(dollars)),
    statuses: optional(list(pasted({ max: 20, reported: true }), statusesMax)),
    channels: optional(orNull(list(pasted(), maxChannels))),
    filter: optional(orNull(filterText)),
    reminds: optional(flag),
    escalation: optional(orNull(object({ after: seconds, channels: list(pasted(), maxChannels) }))),
  }),
  audit: ['rule.changed'],
  pages: seen,
  again: 'same',
  adds: bounds.rules,
  command: {
    name: 'rule set',
    args: [workspaceOrServiceArgument, ['<rule>', 'as svc-server rule list names it']],
    options: [
      ['--on', 'judge it'],
      ['--off', 'do not; its open alerts end without a message'],
      ['--after <duration>', 'how long the condition must hold, such as 0s, 90s or 10m'],
      ['--limit <usd>', 'for cost_day: the US dollars that a day may cost'],
      [
        '--statuses <list>',
        'for run_failed: the statuses that count, separated by commas; at first failed,error,timeout,lost',
      ],
      ['--channels <list>', 'the channels that it is sent to, separated by commas, or all'],
      ['--filter <filter>', 'only agents that this selects, such as "tag:prod -host:build-*", or all'],
      ['--reminders <on|off>', 'remind of an alert that is open at the level bad and not acknowledged'],
      ['--escalate <duration>', 'how long an alert may be unacknowledged before further channels get it, or off'],
      ['--escalate-to <list>', 'these further channels, separated by commas'],
    ],
  },
})
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
  pages: seen,
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
  pages: seen,
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
  pages: seen,
  again: 'same',
  adds: null,
  command: { name: 'channel enable', args: [channelArgument] },
})
export const disableChannel = change<{ ok: true }>()('POST /w/:slug/channels/:channel/disable', {
  says: 'disable a channel; what waits for it is not sent',
  audit: ['channel.disabled'],
  pages: seen,
  again: 'same',
  adds: null,
  command: { name: 'channel disable', args: [channelArgument] },
})
export const removeChannel = change<{ ok: true }>()('DELETE /w/:slug/channels/:channel', {
  says: 'remove a channel with its deliveries',
  audit: ['channel.removed'],
  pages: seen,
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
  pages: seen,
  again: 'refused',
  adds: null,
  command: { name: 'delivery retry', args: [['<id>', 'as svc-server delivery list names it']] },
})
