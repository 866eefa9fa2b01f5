/**
 * The refusals of the page's own routes. A `Refusal` can be thrown anywhere; `onError` (app.ts) sends it in the form of
 * section 7 of the contract.
 */
import type { BundleFinding } from '@svc/api'
import { refusals, type Verdict } from '@svc/protocol'
import { unknownAgent } from './verdict.ts'

/** For each code its HTTP status, and a message for people that is used when the refusing code gives none. */
const webRefusals = {
  text_invalid: [400, 'A text holds a character that cannot be stored.'],
  body_invalid: [400, 'The request is not valid.'],
  email_invalid: [400, 'That is not an email address.'],
  name_invalid: [400, 'That name cannot be used.'],
  password_invalid: [400, 'That password cannot be used.'],
  password_wrong: [400, 'The current password is wrong.'],
  slug_invalid: [400, 'That short name cannot be used.'],
  agent_name_invalid: [400, 'That name cannot be used for an agent.'],
  wish_invalid: [400, 'That cannot be requested.'],
  bundle_refused: [400, 'The bundle breaks a rule.'],
  tag_invalid: [400, 'That is not a valid tag.'],
  filter_invalid: [400, 'That is not a valid filter.'],
  rollout_invalid: [400, 'That is not a valid rollout.'],
  mute_invalid: [400, 'That is not a valid mute.'],
  rule_invalid: [400, 'The rule has no such setting.'],
  hours_invalid: [400, 'Those are not hours of the week.'],
  channel_invalid: [400, 'That is not a valid channel.'],
  code_wrong: [400, 'That code is not right.'],
  passkey_wrong: [400, 'That passkey was not accepted.'],
  sign_in_needed: [401, 'Sign in first.'],
  sign_in_failed: [401, 'Wrong email or password.'],
  account_disabled: [403, 'This account is disabled. Ask the operator of this service to enable it.'],
  oidc_only: [403, 'Passwords are not used here. Sign in through the provider, or with a passkey.'],
  second_factor_failed: [
    401,
    'That code is not right, or the sign-in took longer than ten minutes. Try the next code, or sign in again.',
  ],
  proof_required: [403, 'Prove who you are first: you signed in more than ten minutes ago.'],
  factor_required: [
    403,
    'The admins of this workspace need a second factor, and you have shown none in this session. Add or show one under My account.',
  ],
  not_allowed: [403, 'Only an admin of the workspace may do this.'],
  origin_foreign: [403, 'This request did not come from the page of this service.'],
  not_found: [404, 'There is nothing at this address.'],
  workspace_unknown: [404, 'There is no such workspace, or you do not belong to it.'],
  agent_unknown: [404, unknownAgent.message],
  command_unknown: [404, 'There is no such command.'],
  log_unknown: [404, 'There is no such log; logs are kept for 30 days.'],
  person_unknown: [404, 'There is no such person.'],
  member_unknown: [404, 'No member of the workspace has that id.'],
  session_unknown: [404, 'There is no such session.'],
  factor_unknown: [404, 'There is no such second factor.'],
  invitation_unknown: [
    404,
    'This invitation was revoked or used, has expired, or came from someone who may no longer invite people. Ask for a new one.',
  ],
  link_unknown: [404, 'This link was used or has expired. Ask for a new one.'],
  product_unknown: [404, 'There is no such product.'],
  blueprint_unknown: [404, 'There is no such blueprint.'],
  version_unknown: [404, 'There is no such version.'],
  code_unknown: [404, 'There is no such install code.'],
  action_unknown: [404, 'There is no such action; actions are kept for 30 days.'],
  view_unknown: [404, 'There is no such view.'],
  rollout_unknown: [404, 'There is no such rollout.'],
  alert_unknown: [404, 'There is no such alert.'],
  mute_unknown: [404, 'There is no such mute.'],
  rule_unknown: [404, 'There is no such rule.'],
  channel_unknown: [404, 'There is no such channel.'],
  delivery_unknown: [404, 'There is no such delivery.'],
  bot_unknown: [404, 'There is no such bot.'],
  passkeys_too_many: [409, 'Your account has too many passkeys.'],
  passkeys_off: [409, 'Passkeys cannot be used at this address.'],
  oidc_failed: [
    409,
    'The sign-in provider does not answer as it should. Try again in a minute. If that does not help, tell the operator of this service.',
  ],
  last_way_in: [409, 'This is the last way in to your account. Add another one first.'],
  oidc_off: [409, 'No sign-in provider is set up.'],
  totp_on: [409, 'Your account has an authenticator app already.'],
  factor_unreadable: [409, 'The service can no longer read the secret of your authenticator app.'],
  nodes_mixed: [
    409,
    'A node of an earlier version is still running, which would not ask for a second factor. Stop it, and try again in two minutes.',
  ],
  email_taken: [409, 'There is already an account with that address.'],
  slug_taken: [409, 'There is already a workspace with that short name.'],
  agent_name_taken: [409, 'The workspace already has an agent with that name.'],
  workspaces_too_many: [409, 'You have reached the limit of workspaces.'],
  tags_too_many: [409, 'An agent would have too many tags.'],
  agents_too_many: refusals.agents_too_many,
  people_too_many: [409, 'The workspace has reached its limit of members and open invitations.'],
  bundles_too_many: [409, 'The workspace has reached its limit of stored bundles.'],
  member_already: [409, 'That person is already a member of the workspace.'],
  last_admin: [409, 'The workspace needs an admin. Make someone else an admin first.'],
  invitation_for_other: [409, 'The invitation is for someone other than the person who is signed in.'],
  command_not_offered: [409, 'The agent does not offer that.'],
  commands_too_many: [409, 'The agent has too many commands in progress.'],
  command_under_way: [409, 'The command is still in progress.'],
  version_taken: [409, 'That version already exists.'],
  version_in_use: [409, 'An agent runs or keeps that version.'],
  no_blueprint: [409, 'The agent was not installed from a blueprint.'],
  other_blueprint: [409, 'The agent was installed from another blueprint.'],
  svc_too_old: refusals.svc_too_old,
  runtime_not_served: refusals.runtime_not_served,
  runtime_too_old: refusals.runtime_too_old,
  runtime_up_to_date: refusals.runtime_up_to_date,
  runtime_pinned: refusals.runtime_pinned,
  runtime_version_held: refusals.runtime_version_held,
  alert_over: [409, 'The alert has ended.'],
  channel_taken: [409, 'There is already a channel with that name.'],
  bots_too_many: [409, 'The workspace would have more than ten bots.'],
  codes_too_many: [409, 'The workspace has reached its limit of valid install codes.'],
  mutes_too_many: [409, 'The workspace has reached its limit of mutes.'],
  channels_too_many: [409, 'The workspace has reached its limit of channels.'],
  view_taken: [409, 'There is already a view with that name.'],
  views_too_many: [409, 'You have reached the limit of views.'],
  delivery_not_dead: [409, 'Only a dead delivery can be sent again.'],
  delivery_outdated: [409, 'The message is no longer true.'],
  rollout_empty: [409, 'There are no agents to update.'],
  action_over: [409, 'No command of the action waits.'],
  action_empty: [409, 'There are no agents to send this to.'],
  rollout_over: [409, 'The rollout is over.'],
  rollout_not_running: [409, 'The rollout is not running.'],
  rollout_changed: [409, 'The rollout has changed. Look at it again.'],
  nothing_waits: [409, 'No update waits for the end of a watch.'],
  code_over: [409, 'The install code is no longer valid.'],
  conflict: [409, 'Someone else changed this at the same time. Reload and try again.'],
  upload_too_slow: [408, 'The bundle took too long to arrive.'],
  body_too_large: [413, 'The request is larger than this route accepts.'],
  answer_too_large: [413, 'The answer would be larger than 1 MB. Name at most 1,000 agents in one request.'],
  costs_changing: [503, 'Agents are being deleted, so the sums change while they are read. Try again in a moment.'],
  costs_too_many: [
    413,
    'There are too many sums for one answer. Ask for a shorter time, or by week or month; CSV may be larger.',
  ],
  rate_limited: [429, 'Too many attempts. Wait a few minutes.'],
  uploads_too_many: [429, 'Too many uploads are in progress. Wait until one has ended.'],
  internal: [500, 'Something went wrong. The log of the service has the details.'],
  unavailable: [503, 'The database of the service does not answer. Try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** The codes of all refusals of the page's routes. */
export type WebCode = keyof typeof webRefusals

/** The error that refuses a request of a page. */
export class Refusal extends Error {
  readonly code: WebCode
  readonly status: number
  /** The seconds that the header Retry-After tells the client to wait. */
  readonly retryAfter: number | undefined
  /** All findings about a refused bundle; undefined for other refusals. */
  readonly findings: BundleFinding[] | undefined
  /** The wrong part of a refused filter, in UTF-16 units; undefined for other refusals. */
  readonly place: { at: number; length: number } | undefined
  /** The operation that needs a proof, such as `delete a workspace`; undefined for other refusals. */
  readonly act: string | undefined
  constructor(code: WebCode, message?: string, retryAfter?: number) {
    const [status, words] = webRefusals[code]
    super(message ?? words)
    this.code = code
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Returns the value of a verdict, or throws the refusal that the verdict contains. */
export function granted<T>(verdict: Verdict<T, WebCode>): T {
  if (verdict.ok) return verdict.value
  throw new Refusal(verdict.code, verdict.message)
}

/** Returns the value; throws a refusal with this code if it is undefined. */
export function requireFound<T>(value: T | undefined, code: WebCode): T {
  if (value === undefined) throw new Refusal(code)
  return value
}
