/** Commands for alerts, mutes and rules. `@service` in place of a workspace means the service itself. */
import {
  alerts,
  durationsAccepted,
  type MuteRow,
  type RuleName,
  type RuleRow,
  type RuleSettings,
  readDuration,
  ruleNames,
  writeDuration,
} from '@svc/api'
import { shown } from '@svc/protocol'
import { operationCommand } from '../shared/command.ts'
import { inWorkspaceOrService, onAlert, onMute } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, type OperatorRequest, option, rawOption, UsageError } from '../shared/request.ts'
import { oneSafeLine, tableText, timeText } from '../shared/show.ts'

const maxListed = 500
export const alertCommands = {
  ...operationCommand(alerts.alerts, {
    at: inWorkspaceOrService,
    run: async ({ store, options }, { workspace }) => {
      const { listAlerts } = await import('../../alerts/changes/listing.ts')
      return listAlerts(store.db, workspace, { all: options.all === true, limit: maxListed })
    },
    show: (all) =>
      tableText(
        ['ID', 'RULE', 'LEVEL', 'SUBJECT', 'STATE', 'SINCE', 'ENDED', 'ACKNOWLEDGED', 'MUTED'],
        all.map((a) => [
          a.id,
          a.rule,
          a.level,
          `${a.subject.kind} ${a.subject.name}${a.subject.item === undefined ? '' : `: ${a.subject.item}`}`,
          a.state,
          timeText(a.since),
          timeText(a.endedAt),
          a.acknowledged ? [a.acknowledged.by, a.acknowledged.note].filter(Boolean).join(': ') : null,
          a.muted ? 'yes' : null,
        ]),
        'There is no alert.',
      ),
  }),
  ...operationCommand(alerts.acknowledgeAlert, {
    at: onAlert,
    run: async (call, at) => {
      const note = rawOption(call, 'note')
      await perform(call, alerts.acknowledgeAlert, at, note === undefined ? {} : { note })
      return { id: at.id }
    },
    show: ({ id }) => `The alert ${id} is acknowledged.`,
  }),
  ...operationCommand(alerts.muteAlerts, {
    at: inWorkspaceOrService,
    run: async (call, at) => {
      const [agent, rule, item] = ['agent', 'rule', 'item'].map((name) => option(call, name))
      return perform(call, alerts.muteAlerts, at, {
        seconds: muteFor(option(call, 'for')),
        ...(agent !== undefined && { agent }),
        ...(rule !== undefined && { rule: ruleNamed(rule) }),
        ...(item !== undefined && { item }),
      })
    },
    show: ({ id, until }) =>
      `Muted ${until === null ? 'until nothing that it covers is open' : `until ${timeText(until)}`}. To lift it: svc-server alert unmute ${id}`,
    json: muteAlone,
  }),
  ...operationCommand(alerts.mutes, {
    at: inWorkspaceOrService,
    run: async ({ store }, { workspace }) => {
      const { listMutes } = await import('../../alerts/changes/listing.ts')
      return listMutes(store.db, workspace)
    },
    show: (all) =>
      tableText(
        ['ID', 'AGENT', 'RULE', 'UNTIL'],
        all.map(({ id, agent, rule, item, until }) => [
          id,
          item === null ? (agent ?? 'all') : `${agent}: ${item}`,
          rule ?? 'all',
          until === null ? 'it is over' : timeText(until),
        ]),
        'Nothing is muted.',
      ),
    json: (all) => all.map(muteAlone),
  }),
  ...operationCommand(alerts.liftMute, {
    at: onMute,
    run: async (call, at) => {
      await perform(call, alerts.liftMute, at)
      return { id: at.id }
    },
    show: ({ id }) => `The mute ${id} is lifted.`,
  }),
  ...operationCommand(alerts.rules, {
    at: inWorkspaceOrService,
    run: async ({ store, now }, { workspace }) => {
      const { listRules } = await import('../../alerts/changes/listing.ts')
      return listRules(store.db, workspace, now())
    },
    show: rulesTable,
    json: (all) => all.map(ruleAlone),
  }),
  ...operationCommand(alerts.setRule, {
    at: inWorkspaceOrService,
    run: async (call, { workspace }) => {
      const { ruleRows } = await import('../../alerts/changes/listing.ts')
      const rule = await perform(call, alerts.setRule, { workspace }, { rule: argument(call, 1), ...changeIn(call) })
      const [row] = await ruleRows(call.store.db, workspace, [rule], call.now())
      return row as RuleSettings
    },
    show: (row) => rulesTable([row]),
    json: ruleAlone,
  }),
}

/** A mute as `--json` prints it. Only the mute of a health item has the key `item`. */
function muteAlone({ id, agent, rule, item, until }: MuteRow) {
  return { id, agent, rule, ...(item !== null && { item }), until }
}

/**
 * A rule as `--json` prints it. Programs rely on these keys. Only a rule that is limited to some agents has `filter`.
 */
function ruleAlone({
  reminds: _,
  escalation: __,
  fits: ___,
  filter,
  ...row
}: RuleSettings): Omit<RuleRow, 'filter'> & { filter?: string } {
  return { ...row, ...(filter !== null && { filter }) }
}

function rulesTable(all: readonly RuleSettings[]): string {
  return tableOf(all) + all.flatMap(fitsLines).join('')
}

/**
 * The lines about the filter of a rule: how many agents it selects, and which of its negated terms exclude no agent.
 * Each line begins with a line break.
 */
function fitsLines({ rule, filter, fits }: RuleSettings): string[] {
  if (!fits || filter === null) return []
  const { agents, idle = [] } = fits
  const lines = [
    agents === 0
      ? 'its filter fits no agent, so the rule is off for all of them.'
      : `its filter fits ${agents} ${agents === 1 ? 'agent' : 'agents'}.`,
    ...idle.map(({ at, length }) => `${filter.slice(at, at + length)} excludes no agent.`),
  ]
  return lines.map((line) => `\n${rule}: ${oneSafeLine(line)}`)
}

function tableOf(all: readonly RuleSettings[]): string {
  return tableText(
    ['RULE', 'ON', 'AFTER', 'LEVEL', 'LIMIT', 'STATUSES', 'CHANNELS', 'FILTER', 'ESCALATION', 'REMINDERS'],
    all.map((r) => [
      r.rule,
      r.on ? 'yes' : 'no',
      writeDuration(r.after),
      r.level,
      r.limit === null ? null : `${r.limit} USD`,
      r.statuses?.join(', '),
      r.channels?.join(', ') ?? (r.escalation ? `all except ${r.escalation.channels.join(', ')}` : 'all'),
      r.filter,
      r.escalation && `${r.escalation.channels.join(', ')} after ${writeDuration(r.escalation.after)}`,
      r.reminds ? 'yes' : 'no',
    ]),
    'There is no rule.',
  )
}

function muteFor(text: string | undefined): number | null {
  if (text === undefined) throw new UsageError('A mute needs an end: --for 2h, or --for over.')
  return text === 'over' ? null : readSeconds('--for', text)
}

function readSeconds(name: string, text: string): number {
  const seconds = readDuration(text)
  if (seconds === undefined) throw new UsageError(`${name} is ${durationsAccepted}: got ${shown(text)}.`)
  return seconds
}

function ruleNamed(text: string): RuleName {
  const name = ruleNames.find((one) => one === text)
  if (!name) throw new UsageError(`A rule is one of ${ruleNames.join(', ')}: got ${shown(text)}.`)
  return name
}

function changeIn(request: OperatorRequest) {
  const { on, off } = request.options
  if (on === true && off === true) throw new UsageError('A rule is --on or --off, not both.')
  const [after, limit] = [option(request, 'after'), option(request, 'limit')]
  const filter = option(request, 'filter')
  const [statuses, channels] = [listIn(request, 'statuses'), listIn(request, 'channels')]
  const changed = {
    ...((on === true || off === true) && { on: on === true }),
    ...(after !== undefined && { after: readSeconds('--after', after) }),
    ...(limit !== undefined && { limit: dollars(limit) }),
    ...(statuses && { statuses }),
    ...(channels && { channels: channels.length === 1 && channels[0] === 'all' ? null : channels }),
    ...(filter !== undefined && { filter: filter === 'all' ? null : filter }),
    ...remindersIn(request),
    ...escalationIn(request),
  }
  if (Object.keys(changed).length > 0) return changed
  throw new UsageError(
    'Say what to change: --on, --off, --after, --limit, --statuses, --channels, --filter, --reminders or --escalate.',
  )
}

function remindersIn(request: OperatorRequest): { reminds?: boolean } {
  const reminders = option(request, 'reminders')
  if (reminders === undefined) return {}
  if (reminders === 'on' || reminders === 'off') return { reminds: reminders === 'on' }
  throw new UsageError(`--reminders is on or off: got ${shown(reminders)}.`)
}

function escalationIn(request: OperatorRequest): Pick<Partial<RuleSettings>, 'escalation'> {
  const [after, channels] = [option(request, 'escalate'), listIn(request, 'escalateTo')]
  if (after === undefined && channels === undefined) return {}
  if (after === 'off' && channels === undefined) return { escalation: null }
  if (after === undefined || after === 'off' || channels === undefined)
    throw new UsageError(
      'An escalation needs a time and channels: --escalate 30m --escalate-to oncall. Or --escalate off.',
    )
  return { escalation: { after: readSeconds('--escalate', after), channels } }
}

function dollars(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d{1,6})?$/.test(text) && value > 0 && value <= 1_000_000) return value
  throw new UsageError(`--limit is a number of US dollars above 0, such as 5 or 2.50: got ${shown(text)}.`)
}

const listIn = (request: OperatorRequest, name: string): string[] | undefined =>
  option(request, name)
    ?.split(',')
    .map((part) => oneSafeLine(part).trim())
    .filter(Boolean)
