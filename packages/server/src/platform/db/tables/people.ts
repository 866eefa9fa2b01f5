/**
 * Tables about people, such as links, sign-ins and invitations, and the tables of the accounts library that the
 * service's own queries use.
 */
import type { SignInRecord } from '@svc/api'
import type { Generated } from 'kysely'

/**
 * One-time links: for the sign-up of the first person, a sign-in, a new password, or handing over an account (`claim`).
 * Only the hash of a link's token is stored.
 */
export interface LinkTable {
  hash: string
  purpose: 'first' | 'sign_in' | 'reset' | 'claim' | 'forgot'
  person_id: string | null
  created_at: number
  expires_at: number
  used_at: number | null
}

/** A mail about an account that waits to be sent (people/mails/queue.ts). */
export interface AccountMailTable {
  id: string
  /** The kind of the mail, and its person, address or invitation, as JSON (`MailTopic`). */
  topic: string
  tries: number
  created_at: number
  due_at: number
  /** The time until which only the node that took the mail may try to send it; 0 if no node has taken it. */
  leased_until: number
}

/** A message or a new account that counts towards a limit (people/accounts/sends.ts). Rows are kept for a day. */
export interface CountedSendTable {
  id: string
  kind: string
  /** The hash of what is counted, such as a channel, a workspace or an address. */
  key: string
  at: number
}

/** The last sign-ins of each person, up to a limit. Equal sign-ins share a row (people/accounts/sign-in-records.ts). */
export interface SignInTable {
  id: string
  person_id: string
  at: number
  method: SignInRecord['method']
  address: string
  user_agent: string
  /** The second factor that was shown; null if none was. */
  second: 'code' | 'recovery' | null
  /** The number of sign-ins that the row counts, the last of them at `at`. */
  times: Generated<number>
  /** The time of the first sign-in that the row counts; null if the row counts only one. */
  first_at: number | null
}

/** Records that a person has been shown to own the e-mail address of their account (people/accounts/confirmed.ts). */
export interface EmailConfirmationTable {
  person_id: string
  at: number
}

/**
 * Says whether a person wants the first steps of a workspace (web/queries/first-steps.ts). A person has a row once the
 * page has shown them the steps, or they have dismissed them.
 */
export interface OnboardingTable {
  person_id: string
  wanted: number
  at: number
}

/** The people who were disabled. They stay members of their workspaces, but have no right and cannot sign in. */
export interface PersonDisabledTable {
  person_id: string
  disabled_at: number
}

/** The people who are operators of the service. */
export interface PersonOperatorTable {
  person_id: string
  made_at: number
}

/**
 * Open invitations that the operator made; those in the library's own table need a person who invites. A row is deleted
 * when the invitation is used or withdrawn.
 */
export interface OperatorInvitationTable {
  id: string
  workspace_id: string
  email: string
  role: string
  expires_at: number
}

/** The deleted workspaces whose data is not erased yet (people/workspaces/erase.ts). */
export interface WorkspaceDeletedTable {
  workspace_id: string
  deleted_at: number
}

/**
 * The following tables belong to the accounts library, which migrates and writes them. Only the columns that the
 * service's own queries use are listed.
 */
export interface WorkspaceTable {
  id: string
  name: string
  slug: string
}
export interface PersonTable {
  id: string
  name: string
  email: string
}
export interface SessionTable {
  id: string
  userId: string
  token: string
  createdAt: Date | string
  /** When the session was last used, to a quarter of an hour. */
  updatedAt: Date | string
  expiresAt: Date | string
  ipAddress: string | null
  userAgent: string | null
}
export interface AccountTable {
  id: string
  userId: string
  providerId: string
  password: string | null
}
export interface MemberTable {
  id: string
  workspaceId: string
  userId: string
  role: string
}
/** The table of invitations. On SQLite the library stores `expiresAt` as ISO text. */
export interface InvitationTable {
  id: string
  workspaceId: string
  email: string
  role: string
  status: string
  expiresAt: Date
  inviterId: string
}
