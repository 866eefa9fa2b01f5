/**
 * Lists what may have ended since a backup, as rows for the tests of a restore: a new table of the database joins here.
 */
import type { RevivedKind } from '../src/operator/backup/revived.ts'

export const [start, hour] = [Date.UTC(2026, 10, 21, 12), 3_600_000]
const date = `'${new Date(start).toISOString()}'`
const far = `'${new Date(start + 1000 * hour).toISOString()}'`

export const person = (id: string) => `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
  values ('${id}', '${id}', '${id}@example.org', 1, ${date}, ${date})`
export const workspace = (id: string) =>
  `insert into workspace (id, name, slug, "createdAt") values ('${id}', '${id}', '${id}', ${date})`
const member = (
  id: string,
  role: string,
) => `${person(id)}; insert into member (id, "workspaceId", "userId", role, "createdAt")
  values ('m-${id}', 'north', '${id}', '${role}', ${date})`
const agent = (id: string, of = 'north') => `insert into agent (id, workspace_id, name, token_hash, created_at)
  values ('${id}', '${of}', '${id}', 'token of ${id}', 1)`
const invitation = (
  id: string,
) => `insert into invitation (id, "workspaceId", email, role, status, "expiresAt", "createdAt", "inviterId")
  values ('${id}', 'north', '${id}@example.org', 'admin', 'pending', ${far}, ${date}, 'ann')`
const session = (id: string) => `insert into session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
  values ('${id}', ${far}, '${id}', ${date}, ${date}, 'ann'); insert into session_proof values ('${id}', 1, 1)`
const code = (hash: string, of = 'ann') => `insert into recovery_code values ('${hash}', '${of}', 1)`
const passkey = (id: string) =>
  `insert into passkey values ('${id}', 'ann', 'Laptop', 'localhost', '${id}', 'key', 0, 1, null)`
const connection = (id: string) =>
  `${person(`person-${id}`)}; insert into oidc_connection values ('person-${id}', 'https://login.example.org', '${id}', 1, null)`
const password = (
  id: string,
) => `${person(id)}; insert into account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
  values ('a-${id}', '${id}', 'credential', '${id}', 'before', ${date}, ${date})`
const botToken = (id: string) => `insert into bot values ('bot-${id}', 'north', 'tasks', '${id}', 'member', 1);
  insert into bot_token values ('${id}', 'bot-${id}', 'whole', 'tasks', '${id}', '[]', 1, ${start + 9 * hour}, null, null)`
export const product = (id: string) => `insert into product values ('${id}', 'https://example.org', 'before', 1)`
const channel = (
  id: string,
) => `insert into alert_channel (id, scope, workspace_id, owner, name, kind, format, enabled, shown, sealed, created_at, created_by_name, dead)
  values ('${id}', 'north', 'north', '', '${id}', 'webhook', 'single', 1, '', '', 1, 'Ann', 0)`

/** When an ended thing gives access after a restore: never, only if the data since the backup is lost, or always. */
type WhenHeld = 'never' | 'without' | 'always'
interface EndedThing {
  /** The statements that make the thing before the backup, and end it afterwards. */
  make?: string
  end?: string
  /** A query that has a row if the thing gives access. */
  holds: string
  where: WhenHeld
  says?: Partial<Record<RevivedKind, string>>
}

/** Things that give access, or block access, and that ended since a backup. */
export const rows: Record<string, EndedThing> = {
  'a session': { make: session('s'), end: 'delete from session', holds: 'select 1 from session', where: 'never' },
  'a proof of a session': { holds: 'select 1 from session_proof', where: 'never' },
  'a first half of a sign-in': {
    make: `insert into first_half values ('h', 'ann', 'password', ${start + 9 * hour})`,
    end: 'delete from first_half',
    holds: 'select 1 from first_half',
    where: 'never',
  },
  'a value of the accounts library': {
    make: `insert into verification values ('v', 'v', 'v', ${far}, ${date}, ${date})`,
    end: 'delete from verification',
    holds: 'select 1 from verification',
    where: 'never',
  },
  'a link for a new password that was used': {
    make: `insert into link values ('l', 'reset', 'ann', 1, ${start + 9 * hour}, null)`,
    end: 'update link set used_at = 1',
    holds: 'select 1 from link where used_at is null',
    where: 'never',
  },
  'an invitation that was used': {
    make: invitation('i'),
    end: "update invitation set status = 'accepted'",
    holds: "select 1 from invitation where status = 'pending'",
    where: 'never',
  },
  'an invitation of the operator that was withdrawn': {
    make: `insert into operator_invitation values ('oi', 'north', 'eve@example.org', 'admin', ${start + 9 * hour})`,
    end: 'delete from operator_invitation',
    holds: 'select 1 from operator_invitation',
    where: 'never',
  },
  'an install code that was revoked': {
    make: `insert into install_code (id, hash, workspace_id, blueprint, version, sha256, bindings, agent_name, issued_by_name, issued_at, expires_at)
      values ('c', 'c', 'north', 'b', '1', '', '[]', 'x', 'Ann', 1, ${start + 9 * hour})`,
    end: 'update install_code set revoked_at = 1',
    holds: 'select 1 from install_code where revoked_at is null',
    where: 'never',
  },
  'a mail that waits': {
    make: `insert into account_mail values ('m', '{}', 0, 1, 1, 0)`,
    end: 'delete from account_mail',
    holds: 'select 1 from account_mail',
    where: 'never',
  },
  'the token of an agent that was rotated': {
    make: agent('rotated'),
    end: "update agent set token_hash = 'new' where id = 'rotated'",
    holds: "select 1 from agent where token_hash = 'token of rotated'",
    where: 'never',
  },
  'an agent that was deleted': {
    make: agent('lost'),
    end: "delete from agent where id = 'lost'",
    holds: "select 1 from agent where token_hash = 'token of lost'",
    where: 'without',
    says: { agents: 'north/lost' },
  },
  'an agent that nothing happened to and whose token is not renewed': {
    make: agent('whole'),
    holds: "select 1 from agent where token_hash = 'token of whole'",
    where: 'always',
  },
  'a recovery code that was used': {
    make: code('used'),
    end: "delete from recovery_code where hash = 'used'",
    holds: "select 1 from recovery_code where hash = 'used'",
    where: 'without',
    says: { recoveryCodes: 'ann@example.org' },
  },
  'a passkey that was removed': {
    make: passkey('removed'),
    end: "delete from passkey where id = 'removed'",
    holds: "select 1 from passkey where id = 'removed'",
    where: 'without',
    says: { passkeys: 'ann@example.org' },
  },
  'a passkey that was not removed': {
    make: passkey('kept'),
    holds: "select 1 from passkey where id = 'kept'",
    where: 'always',
  },
  'a connection with the sign-in provider that was ended': {
    make: connection('ended'),
    end: "delete from oidc_connection where subject = 'ended'",
    holds: "select 1 from oidc_connection where subject = 'ended'",
    where: 'without',
    says: { connections: 'person-ended@example.org' },
  },
  'a connection with the sign-in provider that was not ended': {
    make: connection('kept'),
    holds: "select 1 from oidc_connection where subject = 'kept'",
    where: 'always',
  },
  'a recovery code that was not used': {
    make: code('left'),
    holds: "select 1 from recovery_code where hash = 'left'",
    where: 'always',
  },
  'a person who was disabled': {
    make: person('bob'),
    end: "insert into person_disabled values ('bob', 1)",
    holds: `select 1 from "user" where id = 'bob' and id not in (select person_id from person_disabled)`,
    where: 'without',
    says: { peopleDisabled: 'bob@example.org' },
  },
  'a person who was deleted': {
    make: `${member('eve', 'admin')}; ${code('of eve', 'eve')}`,
    end: `delete from "user" where id = 'eve'`,
    holds: `select 1 from "user" where id = 'eve' and id not in (select person_id from person_disabled)`,
    where: 'without',
    says: { peopleDeleted: 'eve@example.org' },
  },
  'a person who was enabled': {
    make: `${person('kim')}; insert into person_disabled values ('kim', 1)`,
    end: "delete from person_disabled where person_id = 'kim'",
    holds: `select 1 from "user" where id = 'kim' and id not in (select person_id from person_disabled)`,
    where: 'never',
  },
  'a password that was replaced': {
    make: password('joe'),
    end: "update account set password = 'after'",
    holds: "select 1 from account where password = 'before'",
    where: 'always',
    says: { passwords: 'joe@example.org' },
  },
  'an address that was replaced': {
    make: person('old'),
    end: `update "user" set email = 'new@example.org' where id = 'old'`,
    holds: `select 1 from "user" where email = 'old@example.org'`,
    where: 'always',
    says: { addresses: 'old@example.org' },
  },
  'a second factor that was removed': {
    make: "insert into totp values ('ann', 'sealed', 1, 1, 0)",
    end: 'delete from totp',
    holds: 'select 1 from totp',
    where: 'always',
    says: { factors: 'ann@example.org' },
  },
  'a workspace that was deleted': {
    make: `${workspace('gone')}; ${agent('of-gone', 'gone')}`,
    end: "insert into workspace_deleted values ('gone', 1); update workspace set slug = 'deleted/gone' where id = 'gone'",
    holds: "select 1 from workspace where slug = 'gone' and id not in (select workspace_id from workspace_deleted)",
    where: 'always',
    says: { workspaces: 'gone' },
  },
  'the token of an agent whose workspace was deleted': {
    holds: "select 1 from agent where token_hash = 'token of of-gone'",
    where: 'without',
  },
  'a member who was removed': {
    make: member('max', 'member'),
    end: `delete from member where id = 'm-max'`,
    holds: `select 1 from member where id = 'm-max'`,
    where: 'always',
    says: { members: 'max@example.org in north' },
  },
  'an admin who is a member since': {
    make: member('zoe', 'admin'),
    end: `update member set role = 'member' where id = 'm-zoe'`,
    holds: `select 1 from member where id = 'm-zoe' and role = 'admin'`,
    where: 'always',
    says: { members: 'zoe@example.org in north (admin)' },
  },
  'the token of a bot that was revoked': {
    make: botToken('revoked'),
    end: "update bot_token set revoked_at = 1 where id = 'revoked'",
    holds: "select 1 from bot_token where id = 'revoked' and revoked_at is null",
    where: 'without',
    says: { botTokens: 'north/revoked' },
  },
  'the token of a bot that was deleted': {
    make: botToken('dropped').replaceAll("'whole'", "'rotated'"),
    end: "delete from bot where id = 'bot-dropped'",
    holds: "select 1 from bot_token where id = 'dropped' and revoked_at is null",
    where: 'without',
    says: { botTokens: 'north/dropped' },
  },
  'a secret of a product that was replaced': {
    make: product('tasks2'),
    end: "update product set secret_hash = 'after' where id = 'tasks2'",
    holds: "select 1 from product where id = 'tasks2' and secret_hash = 'before'",
    where: 'without',
    says: { products: 'tasks2' },
  },
  'a channel that was deleted': {
    make: channel('pager'),
    end: 'delete from alert_channel',
    holds: 'select 1 from alert_channel',
    where: 'always',
    says: { channels: 'north/pager' },
  },
  'a workspace whose admins need a second factor since': {
    end: `insert into factor_requirement values ('north', ${start})`,
    holds: "select 1 from workspace where id = 'north' and id not in (select workspace_id from factor_requirement)",
    where: 'without',
    says: { requirements: 'north' },
  },
}

/** Every other table, by the reason why a row of it gives nobody access. */
export const otherTables = {
  'data of agents': [
    'agent_report',
    'agent_tag',
    'agent_hours',
    'agent_old_name',
    'run',
    'usage_day',
    'usage_deleted',
    'version_day',
    'level_change',
    'agent_offline',
  ],
  'commands that are too old, and texts': [
    'command',
    'log',
    'machine_change',
    'update_event',
    'action',
    'action_agent',
    'action_change',
  ],
  'versions that nobody requests after a restore': [
    'blueprint',
    'blueprint_version',
    'release',
    'rollout',
    'rollout_agent',
  ],
  'settings and notes of people': [
    'alert_rule',
    'alert_setting',
    'alert_mute',
    'alert',
    'saved_view',
    'onboarding',
    'email_confirmation',
    'person_operator',
    'workspace_limit',
    'workspace_product',
  ],
  'messages, which end as dead': ['alert_delivery'],
  'challenges and states that were used up': ['passkey_challenge', 'oidc_callback'],
  'counts, which time ends': ['wrong_code', 'code_try', 'counted_send', 'sign_in', 'audit'],
  'the service itself': [
    'agreed',
    'alert_lease',
    'factor_node',
    'kysely_migration',
    'kysely_migration_lock',
    'node_mark',
    'service_away',
    'service_back',
    'service_backup',
    'service_beat',
  ],
}
