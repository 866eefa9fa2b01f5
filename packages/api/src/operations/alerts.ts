/**
 * Operations on alerts, mutes and the rules by which alerts open, on the content of messages, and on the hours in which
 * an agent should report.
 */
import {
  type AcknowledgeResult,
  type AgentHours,
  type AlertLine,
  type AlertLines,
  type AlertSettings,
  type AlertTimeline,
  alertLevels,
  type ListedAlert,
  type MuteRow,
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
  pastedWord,
  prose,
  query,
  type Reader,
  reader,
  wordOf,
  words,
  yesOrNo,
} from '../input.ts'
import { change, reading } from '../operation.ts'
import { maxDurationSeconds } from '../words/durations.ts'
import { ruleNames } from '../words/rules.ts'
import { workspaceOrServiceArgument } from './arguments.ts'
import { filterText } from './filter-text.ts'

const noteMax = 1000
const acknowledgedMax = 1000
const statusesMax = 20
const maxChannels = 100
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

/** The parameters that select alerts: words in their subject, label or heading, one rule, and one level. */
const wanted = { q: words, rule: wordOf(ruleNames, undefined), level: wordOf(alertLevels, undefined) }

/** The days that a timeline of alerts may show. */
const timelineDays = ['1', '7', '30'] as const

export const alerts = reading<ListedAlert[]>()('GET /w/:slug/alerts', {
  says: 'list the alerts of a workspace that have not ended',
  input: query({ all: yesOrNo, limit: count(1000, 500) }),
  command: {
    name: 'alert list',
    args: [workspaceOrServiceArgument],
    options: [['--all', 'also those that have ended, the newest 500']],
  },
})
export const alertLines = reading<AlertLines>()('GET /w/:slug/alerts/lines', {
  says: 'list the open alerts of a workspace, or those that ended before the one that is named, newest first',
  input: query({ ended: yesOrNo, before: pastedWord, limit: count(200, 50), ...wanted }),
})
export const alertTimeline = reading<AlertTimeline>()('GET /w/:slug/alerts/timeline', {
  says: 'list the alerts of a workspace that were open within the last 1, 7 or 30 days, at most 5,000, for a timeline',
  input: query({ days: wordOf(timelineDays, '7'), ...wanted }),
})
export const agentAlerts = reading<AlertLine[]>()('GET /w/:slug/agents/:name/alerts', {
  says: 'list the alerts of an agent of the last 30 days, newest first',
  input: query({ limit: count(200, 100) }),
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
export const alertSettings = reading<AlertSettings>()('GET /w/:slug/alert-settings', {
  says: 'say what messages about alerts of a workspace may contain',
})
export const setAlertSettings = change<AlertSettings>()('PATCH /w/:slug/alert-settings', {
  says: 'allow or forbid that messages about alerts contain what agents say about themselves in detail',
  input: object({ detail: flag }),
  audit: ['alert.settings_changed'],
  pages: seen,
  again: 'same',
  adds: bounds.settings,
})
export const agentHours = reading<AgentHours>()('GET /w/:slug/agents/:name/hours', {
  says: 'say in which hours an agent is expected to report',
})
export const setAgentHours = change<AgentHours>()('PUT /w/:slug/agents/:name/hours', {
  says: 'set the hours in which an agent is expected to report; outside of them its silence causes no alert',
  input: object({ hours: orNull(pasted({ max: 100 })) }),
  audit: ['agent.hours_changed'],
  pages: seen,
  again: 'same',
  adds: null,
})
