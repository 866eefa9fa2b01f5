/** Describes a change of an alert, for messages, and finds the channels that get these messages. */
import type { Db } from '../../platform/db/open.ts'
import type { AlertChannelRow, AlertRow } from '../../platform/db/tables.ts'
import { channelsOwned, sharedOwner } from '../owned.ts'
import type { EndCause } from '../rules/conditions.ts'
import type { Alert } from '../rules/judge.ts'
import { readPreferences } from '../rules/preferences.ts'
import { personalSendTime } from '../rules/routing.ts'
import { type AlertScope, serviceScope } from '../scope.ts'
import type { ScopedRule } from '../scoped-rules.ts'
import { alertSubject } from '../store.ts'
import type { AlertChange } from './message.ts'

/** The channels of a workspace or of the service, without the personal channels of people. */
export const channelsOfScope = (db: Db, { id }: AlertScope): Promise<AlertChannelRow[]> =>
  channelsOwned(db, { scope: { id } }).selectAll().orderBy('name').execute()

/**
 * All channels of a workspace or of the service, including personal channels. The channels of disabled people are left
 * out.
 */
export const readChannels = (db: Db, { id }: AlertScope): Promise<AlertChannelRow[]> =>
  db
    .selectFrom('alert_channel')
    .leftJoin('person_disabled', 'person_disabled.person_id', 'alert_channel.person_id')
    .selectAll('alert_channel')
    .where('scope', '=', id)
    .where('disabled_at', 'is', null)
    .orderBy('name')
    .execute()

/** A channel that gets a message, and the time before which the message must not be sent to that channel. */
interface Recipient extends AlertChannelRow {
  notBefore?: number
}

interface SentMessage {
  type: AlertChange['type']
  level: AlertChange['level']
  isEscalated: boolean
  /**
   * The id of the only person whose personal channels may get the message. Null means that no personal channel gets the
   * message. If absent, the personal channels of all people may get it.
   */
  person?: string | null
}

/**
 * The enabled channels among `all` that get a message: those that the rule names, and the personal channels of people
 * who want it.
 */
export const recipients = (
  rule: ScopedRule,
  all: readonly AlertChannelRow[],
  sent: SentMessage,
  now: number,
): Recipient[] =>
  all
    .filter(({ enabled }) => enabled === 1)
    .flatMap((channel): Recipient[] => {
      if (channel.owner === sharedOwner) return isRouted(rule, channel, sent.isEscalated) ? [channel] : []
      if (sent.person !== undefined && sent.person !== channel.owner) return []
      const notBefore = personalSendTime(readPreferences(channel.preferences), { ...sent, rule: rule.name }, now)
      return notBefore === undefined ? [] : [{ ...channel, notBefore }]
    })

/**
 * True if a channel of the workspace gets a message. A channel in `escalation` gets messages only after the alert has
 * escalated, unless `channels` names it, too.
 */
function isRouted(
  { channels, escalation }: Pick<ScopedRule, 'channels' | 'escalation'>,
  { id }: Pick<AlertChannelRow, 'id'>,
  isEscalated: boolean,
): boolean {
  const isSecond = escalation?.channels.includes(id) === true
  return (channels === null ? !isSecond : channels.includes(id)) || (isEscalated && isSecond)
}

/** The enabled channels that get messages about an alert only after it has escalated. */
export const secondChannels = (rule: ScopedRule, all: readonly AlertChannelRow[]): AlertChannelRow[] =>
  all.filter(
    (channel) =>
      channel.owner === sharedOwner &&
      channel.enabled === 1 &&
      isRouted(rule, channel, true) &&
      !isRouted(rule, channel, false),
  )

/** The agents of a mass outage, as they are stored. */
export const outageAgents = ({ agents }: Pick<AlertRow, 'agents'>): AlertChange['agents'] =>
  agents === null ? null : (JSON.parse(agents) as NonNullable<AlertChange['agents']>)

interface ChangedAlert {
  type: AlertChange['type']
  alert: Alert
  /** The agents of a mass outage. */
  agents: AlertChange['agents']
  detail?: string | null
  because?: EndCause | undefined
}

interface MessageContext {
  slug: string
  /** The origin of the service, with which links in messages start. */
  baseUrl: string
  now: number
}

export function alertChangeOf(
  row: AlertRow,
  { type, alert, agents, detail = null, because }: ChangedAlert,
  { slug, baseUrl, now }: MessageContext,
): AlertChange {
  return {
    type,
    at: now,
    id: row.id,
    workspace: slug,
    rule: row.rule,
    level: alert.level,
    subject: alertSubject(row),
    since: alert.since,
    endedAt: alert.endedAt,
    ...(because !== undefined && { because }),
    label: alert.label,
    detail,
    agents,
    acknowledgedBy: alert.acknowledged?.by ?? null,
    note: alert.acknowledged?.note ?? null,
    url: urlOf(baseUrl, slug, row),
  }
}

function urlOf(baseUrl: string, slug: string, { subject_kind, subject_id, subject_name }: AlertRow): string {
  if (slug === serviceScope) return baseUrl
  const workspace = `${baseUrl}/w/${slug}`
  if (subject_kind === 'agent') return `${workspace}/agents/${encodeURIComponent(subject_name)}`
  return subject_kind === 'rollout' ? `${workspace}/updates/${subject_id}` : alertsUrl(baseUrl, slug)
}

/**
 * The address of the page that lists all alerts of a workspace. The service itself has no such page, so its origin is
 * used.
 */
export const alertsUrl = (baseUrl: string, slug: string): string =>
  slug === serviceScope ? baseUrl : `${baseUrl}/w/${slug}/alerts`
