/** Describes a change of an alert for its message, and finds the channels that get the message. */
import type { Db } from '../db/open.ts'
import type { AlertChannelRow, AlertRow } from '../db/tables.ts'
import type { Alert } from './judge.ts'
import type { AlertChange } from './message.ts'
import { type Scope, type SetRule, serviceScope } from './store.ts'

/**
 * The channels of a workspace or of the service, without the personal channels of people, who set separately what is
 * sent there.
 */
export const channelsOfScope = (db: Db, { id }: Scope): Promise<AlertChannelRow[]> =>
  db.selectFrom('alert_channel').selectAll().where('scope', '=', id).where('owner', '=', '').orderBy('name').execute()

/** The enabled channels among `all` that get the messages of a rule. */
export const routed = ({ channels }: Pick<SetRule, 'channels'>, all: readonly AlertChannelRow[]): AlertChannelRow[] =>
  all.filter(({ id, enabled }) => enabled === 1 && (channels === null || channels.includes(id)))

export const channelsFor = async (db: Db, scope: Scope, rule: SetRule): Promise<AlertChannelRow[]> =>
  routed(rule, await channelsOfScope(db, scope))

interface Telling {
  slug: string
  /** The origin of the service, with which links in messages start. */
  baseUrl: string
  now: number
}

/** Describes a change for its message. `agents` are the agents of a mass silence, as JSON. */
export function changeOf(
  row: AlertRow,
  { type, alert, agents }: { type: AlertChange['type']; alert: Alert; agents: string | null },
  { slug, baseUrl, now }: Telling,
): AlertChange {
  return {
    type,
    at: now,
    id: row.id,
    workspace: slug,
    rule: row.rule,
    level: alert.level,
    subject: { kind: row.subject_kind, name: row.subject_name },
    since: alert.since,
    endedAt: alert.endedAt,
    label: alert.label,
    detail: null,
    agents: agents === null ? null : (JSON.parse(agents) as NonNullable<AlertChange['agents']>),
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
