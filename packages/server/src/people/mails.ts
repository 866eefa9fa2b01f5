/**
 * Mails about accounts that wait to be sent: invitations, forgotten passwords, new devices. A row names the person,
 * address or invitation and holds no text, so no link that signs in is stored. The row is deleted when the mail was
 * sent or given up.
 */
import type { Db, Store } from '../db/open.ts'
import type { AccountMailTable } from '../db/tables/people.ts'
import { newId } from '../ids.ts'

const mailsAtOnce = 3
/**
 * The milliseconds for which the mails that a node has taken are not sent by another node. Sending three mails takes
 * less.
 */
const leaseMs = 60_000

/** The topic of a mail. The person or the invitation is looked up when the mail is sent. */
export type MailTopic =
  | { kind: 'invitation'; invitation: string }
  /** The e-mail address that was typed, in its normal form; it may have no account. */
  | { kind: 'forgot'; email: string }
  | { kind: 'new_device'; person: string; address: string; userAgent: string }

export interface WaitingMail {
  id: string
  topic: MailTopic
  tries: number
  createdAt: number
}

export async function queueMail(db: Db, topic: MailTopic, now: number): Promise<void> {
  const row: AccountMailTable = {
    id: newId(now),
    topic: JSON.stringify(topic),
    tries: 0,
    created_at: now,
    due_at: now,
    leased_until: 0,
  }
  await db.insertInto('account_mail').values(row).execute()
}

/** Takes a few mails that are due, so that no other node sends them for a minute. */
export async function claimMails({ db }: Store, now: number): Promise<WaitingMail[]> {
  const due = db
    .selectFrom('account_mail')
    .select('id')
    .where('due_at', '<=', now)
    .where('leased_until', '<=', now)
    .orderBy('due_at')
    .limit(mailsAtOnce)
  const rows = await db
    .updateTable('account_mail')
    .set({ leased_until: now + leaseMs })
    .where('id', 'in', due)
    .where('leased_until', '<=', now)
    .returningAll()
    .execute()
  return rows.map(({ id, topic, tries, created_at }) => ({
    id,
    topic: JSON.parse(topic) as MailTopic,
    tries,
    createdAt: created_at,
  }))
}

export async function tryLater({ db }: Store, { id, tries }: WaitingMail, dueAt: number): Promise<void> {
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
