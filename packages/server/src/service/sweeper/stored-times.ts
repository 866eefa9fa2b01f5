/**
 * Lists every stored time of the service, with the rule by which it is corrected if it is impossible because a clock
 * was set back. An event is impossible if it is in the future, a deadline if it is farther away than its full length.
 * A test compares this list with the schema, so a new column needs a line here.
 */
import { clockSlackMs, latestDeadline, limits } from '@svc/protocol'
import { type RawBuilder, sql } from 'kysely'
import { evaluationLeaseMs } from '../../alerts/evaluation/lease.ts'
import { longestWait } from '../../deliveries/outbox.ts'
import { deliveryLeaseMs, groupGapMs } from '../../deliveries/store.ts'
import { idleSeconds, invitationMs } from '../../people/accounts/auth.ts'
import { linkLifetimesMs } from '../../people/accounts/links.ts'
import { stepMs } from '../../people/factors/codes.ts'
import { halfSignInMs, proofMs } from '../../people/factors/rules.ts'
import { mailLeaseMs } from '../../people/mails/queue.ts'
import type { Store } from '../../platform/db/open.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { codeMs } from '../../updates/installs/codes.ts'

/** A length in milliseconds, or an SQL expression for a length that differs from row to row. */
type Length = number | RawBuilder<number>

/** The rule by which a stored time is corrected. */
export type TimeRule =
  /** The time of something that happened, in milliseconds or in units of `unit`. It becomes the present time. */
  | { is: 'event'; where?: RawBuilder<boolean>; unit?: number }
  /** The time at which waiting work is due. It becomes the present time. */
  | { is: 'due'; full: Length; where?: RawBuilder<boolean> }
  /** The end of a lease. It becomes `free`. */
  | { is: 'lease'; full: number; free: 0 | null }
  /** The end of a permit, such as an install code. It becomes the present time, so the permit is over. */
  | { is: 'permit'; full: Length }
  /** The start of a permit that lasts `full` milliseconds. It becomes so old that the permit is over. */
  | { is: 'proof'; full: number }
  /** The end of something that must not end early, such as a session. It becomes the present time plus `full`. */
  | { is: 'kept'; full: number }
  /** The service does not change this time, and nothing waits for it. `why` gives the reason. */
  | { is: 'left'; why: 'a person chose it' | 'an agent reported it' | 'it is a record' | 'the library does not use it' }

const event: TimeRule = { is: 'event' }
const record: TimeRule = { is: 'left', why: 'it is a record' }
const chosen: TimeRule = { is: 'left', why: 'a person chose it' }
const reported: TimeRule = { is: 'left', why: 'an agent reported it' }
const unused: TimeRule = { is: 'left', why: 'the library does not use it' }

const lengthOfLink = sql<number>`case purpose ${sql.join(
  Object.entries(linkLifetimesMs).map(([purpose, lasts]) => sql`when ${sql.lit(purpose)} then ${sql.lit(lasts)}`),
  sql` `,
)} else 0 end`

/** An SQL expression for the longest wait of a message before its next try. `untried` is the wait before its first. */
const lengthOfWait = (untried: number) =>
  sql<number>`case tries when 0 then ${sql.lit(untried)} ${sql.join(
    Array.from({ length: 9 }, (_, i) => sql`when ${sql.lit(i + 1)} then ${sql.lit(longestWait(i + 1))}`),
    sql` `,
  )} else ${sql.lit(longestWait(9))} end`

/** True for untried messages on the channel of a person. Their times follow the person's quiet hours. */
const isForQuietHours = sql<boolean>`(tries = 0 and exists (
  select 1 from alert_channel where alert_channel.id = alert_delivery.channel_id and person_id is not null))`

/**
 * The rule for each column with a time, by table. Tables and their columns are corrected in this order. `service_beat`
 * comes last, because the service notices by its time that the clock was set back.
 */
export const storedTimes: Readonly<Record<string, Readonly<Record<string, TimeRule>>>> = {
  agent_report: { received_at: event, status_at: reported },
  agent: { created_at: event, runtime_granted_at: event, first_report_at: event },
  level_change: { at: event },
  agent_offline: { from_at: event, until_at: event },
  machine_change: { at: event },
  update_event: { at: event, since: event },
  command: {
    created_at: event,
    delivered_at: event,
    failed_at: event,
    answered_at: event,
    due_at: { is: 'due', full: limits.commandSeconds * 1000 },
  },
  log: { received_at: event, expires_at: { is: 'kept', full: limits.logRetentionDays * dayMs } },
  action: { created_at: event },
  agent_old_name: { renamed_at: event },

  alert: {
    phase_since: event,
    since: event,
    unsteady_since: event,
    opened_at: event,
    ended_at: event,
    acknowledged_at: event,
    told_at: event,
    escalated_at: event,
  },
  // The start of a mute is corrected if the mute was to begin at once. The start of a planned mute stays as the person
  // chose it.
  alert_mute: {
    from_at: { is: 'event', where: sql`from_at <= created_at` },
    until_at: chosen,
    created_at: event,
    ended_at: event,
  },
  alert_channel: {
    created_at: event,
    last_at: event,
    grouped_at: event,
    failing_since: event,
    serving_until: { is: 'lease', full: deliveryLeaseMs, free: null },
  },
  alert_delivery: {
    created_at: event,
    due_at: { is: 'due', full: lengthOfWait(groupGapMs), where: sql`not ${isForQuietHours}` },
    leased_until: { is: 'lease', full: deliveryLeaseMs, free: null },
    ended_at: event,
  },
  alert_lease: { until_at: { is: 'lease', full: evaluationLeaseMs, free: 0 }, turned_at: event },
  account_mail: {
    created_at: event,
    due_at: { is: 'due', full: lengthOfWait(0) },
    leased_until: { is: 'lease', full: mailLeaseMs, free: 0 },
  },

  install_code: {
    issued_at: event,
    expires_at: { is: 'permit', full: codeMs },
    redeemed_at: event,
    revoked_at: event,
  },
  blueprint: { created_at: event },
  blueprint_version: { uploaded_at: event },
  release: { added_at: event },
  rollout: { wave_kept_at: event, created_at: event, changed_at: event },
  rollout_agent: { wished_at: event, worse_at: event, at: event },
  product: { created_at: event },
  workspace_product: { activated_at: event },
  bot: { created_at: event },
  bot_token: {
    issued_at: event,
    expires_at: { is: 'kept', full: limits.botTokenDays * dayMs },
    revoked_at: event,
    last_used_at: event,
  },

  link: { created_at: event, expires_at: { is: 'permit', full: lengthOfLink }, used_at: event },
  counted_send: { at: event },
  sign_in: { at: event, first_at: event },
  code_try: { at: event },
  email_confirmation: { at: event },
  onboarding: { at: event },
  person_disabled: { disabled_at: event },
  person_operator: { made_at: event },
  operator_invitation: { expires_at: { is: 'permit', full: invitationMs } },
  workspace_deleted: { deleted_at: event },
  totp: { created_at: event, confirmed_at: event, last_step: { is: 'event', unit: stepMs } },
  recovery_code: { created_at: event },
  wrong_code: { at: event },
  session_proof: { factor_at: { is: 'proof', full: proofMs }, proof_at: { is: 'proof', full: proofMs } },
  first_half: { expires_at: { is: 'permit', full: halfSignInMs } },
  factor_requirement: { from_at: chosen },
  passkey: { created_at: event, used_at: event },
  // The row must stay until this time, because it prevents that the challenge or the callback is used again.
  passkey_challenge: { expires_at: record },
  oidc_connection: { connected_at: event },
  oidc_callback: { expires_at: record },

  workspace: { createdAt: event },
  user: { createdAt: event, updatedAt: event },
  member: { createdAt: event },
  session: {
    // A sign-in is a proof, too.
    createdAt: { is: 'proof', full: proofMs },
    updatedAt: event,
    expiresAt: { is: 'kept', full: idleSeconds * 1000 },
  },
  account: { createdAt: event, updatedAt: event, accessTokenExpiresAt: unused, refreshTokenExpiresAt: unused },
  invitation: { createdAt: event, expiresAt: { is: 'permit', full: invitationMs } },
  verification: { createdAt: unused, updatedAt: unused, expiresAt: unused },

  audit: { at: record },
  service_away: { from_at: event, until_at: event },
  service_backup: { at: event },
  service_back: { noticed_at: event, lost_until: record },
  node_mark: { at: event },
  factor_node: { at: event },
  service_beat: { at: event },
}

/**
 * The latest possible time by a rule, and the value that replaces a later time; undefined if the rule leaves all times
 * as they are.
 */
export function mendedTime(rule: TimeRule, now: number): { latest: Length; value: number | null } | undefined {
  const latest = (full: Length): Length =>
    typeof full === 'number'
      ? latestDeadline(now, full)
      : sql<number>`(cast(${latestDeadline(now, 0)} as bigint) + ${full})`
  switch (rule.is) {
    case 'event': {
      const { unit = 1 } = rule
      return { latest: Math.ceil((now + clockSlackMs) / unit), value: Math.floor(now / unit) }
    }
    case 'proof':
      return { latest: now + clockSlackMs, value: now - rule.full }
    case 'due':
    case 'permit':
      return { latest: latest(rule.full), value: now }
    case 'lease':
      return { latest: latest(rule.full), value: rule.free }
    case 'kept':
      return { latest: latest(rule.full), value: now + rule.full }
    case 'left':
      return undefined
  }
}

/**
 * Frees every lease. Called when no other process can hold one, so each belongs to an earlier process that was killed.
 * `storedTimes` says which columns are leases.
 */
export async function freeLeases({ db }: Store): Promise<void> {
  for (const [table, columns] of Object.entries(storedTimes))
    for (const [column, rule] of Object.entries(columns))
      if (rule.is === 'lease')
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${rule.free} where ${sql.ref(column)} > 0`.execute(
          db,
        )
}
