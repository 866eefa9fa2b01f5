/**
 * Mails about accounts that wait to be sent: invitations, forgotten passwords, new devices, changes. A row names the
 * person, address or invitation and contains no text, so no link that signs in is stored. The row is deleted when the
 * mail was sent or given up.
 */
import { sql } from 'kysely'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import type { AccountMailTable } from '../../platform/db/tables/people.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { newId } from '../../platform/ids.ts'

const hour = 3_600_000
/** The milliseconds for which the mails that a node has taken are not sent by another node. A try takes less. */
export const mailLeaseMs = 60_000

/** The topic of a mail. The person or the invitation is looked up when the mail is sent. */
export type MailTopic =
  /** The mail has the party `workspace` and the receiver `domain` (`partyOf`). Nodes of earlier versions omit both. */
  | { kind: 'invitation'; invitation: string; workspace?: string; domain?: string }
  /** The stored e-mail address of an account for which somebody asked for a new password. */
  | { kind: 'forgot'; email: string }
  | { kind: 'new_device'; person: string; address: string; userAgent: string }
  | AccountNotice

/** A change of somebody's account, and the workspace in which it happened. The mail is for the person. */
export interface AccountNotice {
  kind: 'notice'
  person: string
  what: AccountNoticeKind
  workspace?: string
  /** The account at the sign-in provider. Nodes of earlier versions do not store it. */
  account?: string
}
export type AccountNoticeKind =
  | 'disabled'
  | 'operator'
  | 'admin'
  | 'password'
  | 'factor_added'
  | 'factor_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'oidc_connected'
  | 'oidc_removed'
  | 'recovery_codes'
  | 'recovery_used'
  | 'wrong_codes'

export interface WaitingMail {
  id: string
  /** Undefined if the stored topic cannot be read. */
  topic: MailTopic | undefined
  tries: number
  createdAt: number
}

/** The maximum number of waiting mails of each kind, and the age from which a mail is no longer sent. */
const rules: Readonly<Record<MailTopic['kind'], { max: number; maxAge: number }>> = {
  invitation: { max: 5000, maxAge: 24 * hour },
  // After an hour, the person no longer waits for the mail.
  forgot: { max: 1000, maxAge: hour },
  new_device: { max: 5000, maxAge: 24 * hour },
  notice: { max: 5000, maxAge: 24 * hour },
}

/** The age, in milliseconds, from which a mail is no longer sent. */
export const maxAgeOf = (topic: MailTopic | undefined): number => rules[topic?.kind ?? 'invitation'].maxAge

/** Queues a mail. False if too many of its kind wait, as may happen while the mail server cannot be reached. */
export async function queueMail(db: Db, topic: MailTopic, now: number): Promise<boolean> {
  const { count } = await db
    .selectFrom('account_mail')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isOfKind(topic.kind))
    .executeTakeFirstOrThrow()
  if (Number(count) >= rules[topic.kind].max) return false
  const row: AccountMailTable = {
    id: newId(now),
    topic: JSON.stringify(topic),
    tries: 0,
    created_at: now,
    due_at: now,
    leased_until: 0,
  }
  await db.insertInto('account_mail').values(row).execute()
  return true
}

/**
 * Queues the mail about a change of an account, if the service can send mails. Call this with the change's transaction.
 */
export async function queueNotice(
  trx: Db,
  { config }: { config?: { smtpUrl?: string | undefined } },
  notice: Omit<AccountNotice, 'kind'>,
  now: number,
): Promise<void> {
  if (config?.smtpUrl !== undefined) await queueMail(trx, { kind: 'notice', ...notice }, now)
}

/** The SQL condition for mails of one kind: the JSON of a topic begins with its kind. */
const isOfKind = (kind: MailTopic['kind']) => sql<boolean>`topic like ${`{"kind":"${kind}"%`}`

/** The maximum number of mails of each kind that are read at once; the others follow when these were tried. */
export const maxMailsRead = 500

/**
 * Lists the due mails that no node is sending. Workspaces take turns, so that many mails of one do not hide those of
 * another. Within a workspace, mails with fewer tries come first, then those that were due earlier.
 */
export async function dueMails({ db }: Store, now: number): Promise<{ mail: WaitingMail; dueAt: number }[]> {
  const kind = sql`substr(topic, 1, ${'{"kind":"abc'.length})`
  const first = sql`tries, due_at, id`
  const ofWorkspace = db
    .selectFrom('account_mail')
    .selectAll()
    .select(
      sql<number>`row_number() over (partition by ${kind}, ${workspaceIn(db)} order by ${first})`.as('workspace_turn'),
    )
    .where('due_at', '<=', now)
    .where((eb) => eb.not(isAheadSql('leased_until', now, mailLeaseMs)))
  const due = db
    .selectFrom(ofWorkspace.as('waiting'))
    .selectAll()
    .select(sql<number>`row_number() over (partition by ${kind} order by workspace_turn, ${first})`.as('turn'))
  const rows = await db.selectFrom(due.as('due')).selectAll().where('turn', '<=', maxMailsRead).execute()
  return rows.map((row) => ({ mail: mailOfRow(row), dueAt: row.due_at }))
}

/** The SQL expression for the workspace in the JSON of a topic; null if the topic names none. */
const workspaceIn = (db: Db) =>
  isPostgres(db)
    ? sql`substring(topic from '"workspace":"([^"]*)"')`
    : sql`case when json_valid(topic) then json_extract(topic, '$.workspace') end`

/** Takes a mail, so that no other node sends it for a minute; undefined if it is not due any longer. */
export async function claimMail({ db }: Store, id: string, now: number): Promise<WaitingMail | undefined> {
  const row = await db
    .updateTable('account_mail')
    .set({ leased_until: now + mailLeaseMs })
    .where('id', '=', id)
    .where('due_at', '<=', now)
    .where((eb) => eb.not(isAheadSql('leased_until', now, mailLeaseMs)))
    .returningAll()
    .executeTakeFirst()
  return row && mailOfRow(row)
}

const mailOfRow = ({ id, topic, tries, created_at: createdAt }: AccountMailTable): WaitingMail => ({
  id,
  topic: topicOf(topic),
  tries,
  createdAt,
})

function topicOf(text: string): MailTopic | undefined {
  try {
    const topic = JSON.parse(text) as MailTopic
    return Object.hasOwn(rules, topic.kind) ? topic : undefined
  } catch {
    return undefined
  }
}

/** Makes a taken mail wait again, because the stop of the service interrupted the try. */
export async function giveMailBack({ db }: Store, { id }: WaitingMail): Promise<void> {
  await db.updateTable('account_mail').set({ leased_until: 0 }).where('id', '=', id).execute()
}

/** Plans the next try of a mail that was not accepted. */
export async function planNextTry({ db }: Store, { id, tries }: WaitingMail, dueAt: number): Promise<void> {
  await db
    .updateTable('account_mail')
    .set({ tries: tries + 1, due_at: dueAt, leased_until: 0 })
    .where('id', '=', id)
    .execute()
}

/** Deletes a mail that was sent, was given up, or has nobody who would receive it. */
export async function forgetMail({ db }: Store, { id }: WaitingMail): Promise<void> {
  await db.deleteFrom('account_mail').where('id', '=', id).execute()
}
