/**
 * Writes the mails about accounts. The receiver, and whether the mail is still needed, are looked up when it is sent.
 */
import { createHmac } from 'node:crypto'
import type { MessageText } from '../../../deliveries/channels/call.ts'
import type { Db } from '../../../platform/db/open.ts'
import { minuteText } from '../../../platform/limits/units.ts'
import type { SealKey } from '../../../platform/seal.ts'
import { isDisabled } from '../../accounts/disabled.ts'
import type { PeopleDeps } from '../../accounts/library.ts'
import { ensureForgotLink, linkUrl } from '../../accounts/links.ts'
import { safeNameOr } from '../../accounts/named.ts'
import { findPerson, type Person, personOfId } from '../../accounts/store.ts'
import { factorsOfPerson } from '../../factors/held.ts'
import { invitationToMail } from '../../workspaces/accepting.ts'
import { isOperator } from '../../workspaces/people.ts'
import { roleToAct, type WorkspaceInfo, workspaceOfId } from '../../workspaces/store.ts'
import type { AccountNotice, AccountNoticeKind, MailTopic } from '../queue.ts'

interface MailContext {
  people: PeopleDeps & { config: { baseUrl: string } }
  mail: { id: string; createdAt: number }
  /** The key from which the tokens of links in mails are derived. */
  key: SealKey
  now: number
}

interface ComposedMail {
  to: string
  text: MessageText
}

/**
 * Writes the mail about a topic, such as an invitation; undefined if the mail has no receiver or is no longer needed.
 */
export function composeMail(topic: MailTopic, composing: MailContext): Promise<ComposedMail | undefined> {
  if (topic.kind === 'invitation') return invitation(topic, composing)
  if (topic.kind === 'notice') return notice(topic, composing)
  return topic.kind === 'forgot' ? forgot(topic, composing) : newDevice(topic, composing)
}

async function invitation(
  { invitation: id }: Extract<MailTopic, { kind: 'invitation' }>,
  { people, now }: MailContext,
): Promise<ComposedMail | undefined> {
  const found = await invitationToMail(people, id, now)
  if (!found) return undefined
  const { email, workspace, invitedBy, url } = found
  return mailTo(email, `${invitedBy} invites you to ${workspace}`, url, [
    `${invitedBy} invites you to the workspace ${workspace} on ${people.config.baseUrl}.`,
    'The link works once, for this address only, and for seven days. If you do not know what this is about, ignore it.',
  ])
}

/**
 * Writes the mail with a link for a new password; undefined if no account has the address now, or if it is disabled or
 * the link is no longer needed.
 */
async function forgot(
  { email }: Extract<MailTopic, { kind: 'forgot' }>,
  { people, mail: { id, createdAt }, key, now }: MailContext,
): Promise<ComposedMail | undefined> {
  const { db } = people.store
  const person = await findPerson(db, email)
  if (!person || (await isDisabled(db, person.id))) return undefined
  const token = forgotToken(key, id)
  const isNeeded = await ensureForgotLink({ db, by: ourselves, now }, person, { token, askedAt: createdAt })
  if (!isNeeded) return undefined
  return mailTo(person.email, 'Choose a new password', linkUrl(people.config.baseUrl, 'forgot', token), [
    `Somebody asked for a new password for your account on ${people.config.baseUrl}.`,
    'The link works once, and for one hour. If it was not you, ignore this mail: your password stays as it is.',
  ])
}

/**
 * The token of the link in a mail, the same at each try. It can be computed only from the file `secret` and the id of
 * the mail.
 */
const forgotToken = (key: SealKey, mail: string): string =>
  createHmac('sha256', key).update(`link of the mail ${mail}`).digest('base64url')

const ourselves = { id: null, name: 'the service' }

async function newDevice(
  { person: id, address, userAgent }: Extract<MailTopic, { kind: 'new_device' }>,
  { people, mail: { createdAt } }: MailContext,
): Promise<ComposedMail | undefined> {
  const person = await personOfId(people.store.db, id)
  if (!person) return undefined
  const { baseUrl } = people.config
  return mailTo(person.email, 'New sign-in to your account', `${baseUrl}/account`, [
    `Somebody signed in to your account on ${baseUrl} in a browser that had not been used for it before.`,
    `Time: ${minuteText(createdAt)}. Address: ${address}. Browser: ${userAgent || 'unknown'}.`,
    'If it was not you, change your password and end the other sessions on the page of your account.',
  ])
}

interface NoticeContext {
  db: Db
  person: Person
  /** The service's address. */
  url: string
  workspace: WorkspaceInfo | undefined
  /** The account at the sign-in provider that the change is about. */
  account: string | undefined
  /** The time of the change. */
  at: number
}

/**
 * A mail that is sent even if the change was undone meanwhile. It tells the time of the change, and what to do if
 * somebody else made the change.
 */
function always(
  title: string,
  says: string | ((about: NoticeContext) => string),
  more: (about: NoticeContext) => Promise<string> = async () => '',
) {
  return {
    isTrue: async () => true,
    title,
    says: async (about: NoticeContext) =>
      `${typeof says === 'string' ? says : says(about)} on ${about.url} at ${minuteText(about.at)}.${await more(about)}`,
    advice:
      'If it was not you, choose a new password, end the other sessions on the page of your account, and tell the operator of this service.',
  }
}

/** The mails about changes of an account: for each kind, whether the change still holds, and the text. */
const notices: Readonly<
  Record<
    AccountNoticeKind,
    {
      isTrue: (about: NoticeContext) => Promise<boolean>
      title: string
      says: (about: NoticeContext) => string | Promise<string>
      advice?: string
    }
  >
> = {
  disabled: {
    isTrue: ({ db, person }) => isDisabled(db, person.id),
    title: 'Your account was disabled',
    says: ({ url }) =>
      `The operator of ${url} disabled your account. You are signed out and cannot sign in. Your memberships are kept.`,
  },
  operator: {
    isTrue: ({ db, person }) => isOperator(db, person),
    title: 'You are now an operator',
    says: ({ url }) => `You were made an operator of ${url}.`,
  },
  admin: {
    isTrue: async ({ db, person, workspace }) =>
      workspace !== undefined && (await roleToAct(db, workspace.id, person.id)) === 'admin',
    title: 'You are now an admin',
    says: ({ url, workspace }) =>
      `You were made an admin of the workspace ${safeNameOr(workspace?.name ?? '', 'a workspace')} on ${url}. Admins can change everything in it.`,
  },
  password: always('Your password was changed', 'The password of your account was changed'),
  factor_added: always('A second factor was added', 'An authenticator app was added to your account'),
  factor_removed: always(
    'Your second factor was removed',
    'The second factor of your account was removed, so a password is enough to sign in',
  ),
  passkey_added: always(
    'A passkey was added',
    'A passkey, with which somebody can sign in without your password, was added to your account',
  ),
  oidc_connected: always(
    'Your account was connected with the sign-in provider',
    ({ account }) =>
      `${account === undefined ? 'An account' : `The account ${account}`} of the sign-in provider, through which somebody can sign in without your password, was connected with your account`,
  ),
  oidc_removed: always(
    'Your account was disconnected from the sign-in provider',
    ({ account }) =>
      `The ${account === undefined ? '' : `account ${account} of the `}sign-in provider was disconnected from your account`,
  ),
  passkey_removed: always('A passkey was removed', 'A passkey was removed from your account'),
  recovery_codes: always(
    'New recovery codes were made',
    'New recovery codes were made for your account, and the earlier ones stopped working',
  ),
  recovery_used: always(
    'A recovery code was used',
    'A recovery code of your account was used',
    async ({ db, person, url }) =>
      ` Recovery codes left: ${(await factorsOfPerson(db, { baseUrl: url }, person.id)).recoveryLeft}.`,
  ),
  wrong_codes: always(
    'Ten wrong codes were given for your account',
    'Somebody who knows your password, or has one of your sessions, gave ten wrong codes of your second factor',
  ),
}

/**
 * Writes the mail about a change of an account; undefined if the account is gone, or if the change no longer holds
 * (`isTrue`).
 */
async function notice(topic: AccountNotice, { people, mail }: MailContext): Promise<ComposedMail | undefined> {
  const { db } = people.store
  const person = await personOfId(db, topic.person)
  if (!person) return undefined
  const { baseUrl: url } = people.config
  const workspace = await workspaceOfId(db, topic.workspace)
  const about = { db, person, url, workspace, account: topic.account, at: mail.createdAt }
  const { isTrue, title, says, advice } = notices[topic.what]
  if (!(await isTrue(about))) return undefined
  return mailTo(person.email, title, url, [
    await says(about),
    advice ?? 'If you do not expect this, ask the operator of the service.',
  ])
}

const mailTo = (to: string, title: string, url: string, lines: string[]): ComposedMail => ({
  to,
  text: { title, lines, url, level: null },
})
