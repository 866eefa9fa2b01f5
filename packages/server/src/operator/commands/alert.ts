/** Commands for alerts, mutes and rules. `@service` in place of a workspace means the service itself. */
import {
  type AlertRow,
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
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import { commandOf, type Stores } from '../shared/command.ts'
import { argument, Missing, Misused, option, type Request, type Service, typedOption } from '../shared/request.ts'
import { line, moment, table } from '../shared/show.ts'

const listed = 500
const service = '@service'

/** The workspace with this short name, or the service itself for `@service`. */
export const placeIn = (given: Service, { servicePlace, workspaceOf }: Stores, slug: string): Promise<WorkspaceInfo> =>
  slug === service ? Promise.resolve(servicePlace) : workspaceOf(given, slug)

/** The workspace of an alert, mute or delivery that is named only by its id. */
export async function placeOfId(given: Service, stores: Stores, noun: 'alert' | 'mute' | 'delivery', id: string) {
  const place = await stores.placeOf(given.store.db, noun, id)
  if (!place) throw new Missing(`There is no ${noun} ${shown(id)}.`)
  return place
}

export const alertCommands = {
  ...commandOf<AlertRow[]>(alerts.alerts, {
    run: async (request, given, stores) => {
      const place = await placeIn(given, stores, argument(request, 0))
      return stores.listAlerts(given.store.db, place, { all: request.options.all === true, limit: listed })
    },
    show: (all) =>
      table(
        ['ID', 'RULE', 'LEVEL', 'SUBJECT', 'STATE', 'SINCE', 'ENDED', 'ACKNOWLEDGED', 'MUTED'],
        all.map((a) => [
          a.id,
          a.rule,
          a.level,
          `${a.subject.kind} ${a.subject.name}${a.subject.item === undefined ? '' : `: ${a.subject.item}`}`,
          a.state,
          moment(a.since),
          moment(a.endedAt),
          a.acknowledged ? [a.acknowledged.by, a.acknowledged.note].filter(Boolean).join(': ') : null,
          a.muted ? 'yes' : null,
        ]),
        'There is no alert.',
      ),
  }),
  ...commandOf(alerts.acknowledgeAlert, {
    run: async (request, given, stores) => {
      const id = argument(request, 0)
      const workspace = await placeOfId(given, stores, 'alert', id)
      const note = typedOption(request, 'note')
      const at = { workspace, params: { slug: workspace.slug, id } }
      await stores.perform(given, stores.acknowledged, at, note === undefined ? {} : { note })
      return { id }
    },
    show: ({ id }) => `The alert ${id} is acknowledged.`,
  }),
  ...commandOf<MuteRow>(alerts.muteAlerts, {
    run: async (request, given, stores) => {
      const workspace = await placeIn(given, stores, argument(request, 0))
      const agent = option(request, 'agent')
      const rule = option(request, 'rule')
      const item = option(request, 'item')
      return stores.perform(
        given,
        stores.muted,
        { workspace },
        {
          seconds: muteFor(option(request, 'for')),
          ...(agent !== undefined && { agent }),
          ...(rule !== undefined && { rule: ruleNamed(rule) }),
          ...(item !== undefined && { item }),
        },
      )
    },
    show: ({ id, until }) =>
      `Muted ${until === null ? 'until nothing that it covers is open' : `until ${moment(until)}`}. To lift it: svc-server alert unmute ${id}`,
    json: muteAlone,
  }),
  ...commandOf<MuteRow[]>(alerts.mutes, {
    run: async (request, given, stores) =>
      stores.listMutes(given.store.db, await placeIn(given, stores, argument(request, 0))),
    show: (all) =>
      table(
        ['ID', 'AGENT', 'RULE', 'UNTIL'],
        all.map(({ id, agent, rule, item, until }) => [
          id,
          item === null ? (agent ?? 'all') : `${agent}: ${item}`,
          rule ?? 'all',
          until === null ? 'it is over' : moment(until),
        ]),
        'Nothing is muted.',
      ),
    json: (all) => all.map(muteAlone),
  }),
  ...commandOf(alerts.liftMute, {
    run: async (request, given, stores) => {
      const id = argument(request, 0)
      const workspace = await placeOfId(given, stores, 'mute', id)
      await stores.perform(given, stores.unmuted, { workspace, params: { slug: workspace.slug, id } }, undefined)
      return { id }
    },
    show: ({ id }) => `The mute ${id} is lifted.`,
  }),
  ...commandOf<RuleSettings[]>(alerts.rules, {
    run: async (request, given, stores) =>
      stores.listRules(given.store.db, await placeIn(given, stores, argument(request, 0))),
    show: rulesTable,
    json: (all) => all.map(ruleAlone),
  }),
  ...commandOf<RuleSettings>(alerts.setRule, {
    run: async (request, given, stores) => {
      const workspace = await placeIn(given, stores, argument(request, 0))
      const rule = argument(request, 1)
      await stores.perform(given, stores.ruleSet, { workspace }, { rule, ...changeIn(request) })
      const rows = await stores.listRules(given.store.db, workspace)
      return rows.find((row) => row.rule === rule) as RuleSettings
    },
    show: (row) => rulesTable([row]),
    json: ruleAlone,
  }),
}

/** A mute as `--json` prints it. Only the mute of a health item has the key `item`. */
function muteAlone({ id, agent, rule, item, until }: MuteRow) {
  return { id, agent, rule, ...(item !== null && { item }), until }
}

/** A rule as `--json` prints it. Programs rely on these keys, so further ones are left out. */
function ruleAlone({ reminds: _, escalation: __, ...row }: RuleSettings): RuleRow {
  return row
}

function rulesTable(all: readonly RuleSettings[]): string {
  return table(
    ['RULE', 'ON', 'AFTER', 'LEVEL', 'LIMIT', 'STATUSES', 'CHANNELS', 'ESCALATION', 'REMINDERS'],
    all.map((r) => [
      r.rule,
      r.on ? 'yes' : 'no',
      writeDuration(r.after),
      r.level,
      r.limit === null ? null : `${r.limit} USD`,
      r.statuses?.join(', '),
      r.channels?.join(', ') ?? (r.escalation ? `all except ${r.escalation.channels.join(', ')}` : 'all'),
      r.escalation && `${r.escalation.channels.join(', ')} after ${writeDuration(r.escalation.after)}`,
      r.reminds ? 'yes' : 'no',
    ]),
    'There is no rule.',
  )
}

function muteFor(text: string | undefined): number | null {
  if (text === undefined) throw new Misused('A mute needs an end: --for 2h, or --for over.')
  return text === 'over' ? null : duration('--for', text)
}

function duration(name: string, text: string): number {
  const seconds = readDuration(text)
  if (seconds === undefined) throw new Misused(`${name} is ${durationsAccepted}: got ${shown(text)}.`)
  return seconds
}

function ruleNamed(text: string): RuleName {
  const name = ruleNames.find((one) => one === text)
  if (!name) throw new Misused(`A rule is one of ${ruleNames.join(', ')}: got ${shown(text)}.`)
  return name
}

function changeIn(request: Request) {
  const { on, off } = request.options
  if (on === true && off === true) throw new Misused('A rule is --on or --off, not both.')
  const [after, limit] = [option(request, 'after'), option(request, 'limit')]
  const [statuses, channels] = [listIn(request, 'statuses'), listIn(request, 'channels')]
  const changed = {
    ...((on === true || off === true) && { on: on === true }),
    ...(after !== undefined && { after: duration('--after', after) }),
    ...(limit !== undefined && { limit: dollars(limit) }),
    ...(statuses && { statuses }),
    ...(channels && { channels: channels.length === 1 && channels[0] === 'all' ? null : channels }),
    ...remindersIn(request),
    ...escalationIn(request),
  }
  if (Object.keys(changed).length > 0) return changed
  throw new Misused(
    'Say what to change: --on, --off, --after, --limit, --statuses, --channels, --reminders or --escalate.',
  )
}

function remindersIn(request: Request): { reminds?: boolean } {
  const reminders = option(request, 'reminders')
  if (reminders === undefined) return {}
  if (reminders === 'on' || reminders === 'off') return { reminds: reminders === 'on' }
  throw new Misused(`--reminders is on or off: got ${shown(reminders)}.`)
}

function escalationIn(request: Request): Pick<Partial<RuleSettings>, 'escalation'> {
  const [after, channels] = [option(request, 'escalate'), listIn(request, 'escalateTo')]
  if (after === undefined && channels === undefined) return {}
  if (after === 'off' && channels === undefined) return { escalation: null }
  if (after === undefined || after === 'off' || channels === undefined)
    throw new Misused(
      'An escalation needs a time and channels: --escalate 30m --escalate-to oncall. Or --escalate off.',
    )
  return { escalation: { after: duration('--escalate', after), channels } }
}

function dollars(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d{1,6})?$/.test(text) && value > 0 && value <= 1_000_000) return value
  throw new Misused(`--limit is a number of US dollars above 0, such as 5 or 2.50: got ${shown(text)}.`)
}

const listIn = (request: Request, name: string): string[] | undefined =>
  option(request, name)
    ?.split(',')
    .map((part) => line(part).trim())
    .filter(Boolean)
