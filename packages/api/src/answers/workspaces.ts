/**
 * The answers of the service to the page; operations/ says which operation gives which. This file has the answers about
 * people and workspaces. Times are Unix milliseconds, but values from a report are in seconds, as the agent sent them.
 * Errors are `{error: {code, message}}`: 401 means "sign in", 403 "not allowed", and 404 "not there" or "not visible to
 * you". Sending a command answers 200 instead of 201 if the same command is already pending (D5).
 */
import type { BundleFinding } from './blueprints.ts'

/** The body of every refusal. */
export interface RefusalBody {
  /**
   * `findings` says why a bundle was refused, in an error with the code `bundle_refused` alone. `act` says what needs
   * the proof, such as `delete a workspace`, in one with the code `proof_required`.
   */
  error: { code: string; message: string; findings?: BundleFinding[]; act?: string }
}

export type Role = 'admin' | 'member'

/** The signed-in person. */
export interface Me {
  id: string
  name: string
  email: string
  /**
   * True if the account's e-mail address is known to belong to the person, because they used a link that was mailed to
   * the address or that the operator gave them.
   */
  emailConfirmed: boolean
  /** True if the service can send email. */
  mails: boolean
  /**
   * The workspaces of the person, with the role that the person has in this session: an admin has the rights of a
   * member while the workspace requires a second factor and the session has not shown one.
   */
  workspaces: { slug: string; name: string; role: Role }[]
  /**
   * True if the person sees the first steps in one of the workspaces of which they are an admin: not all steps are
   * done, and the person has not dismissed them.
   */
  onboarding: boolean
  /** The version and address of the service, for the commands that a person copies to a machine. */
  service: { version: string; baseUrl: string; runtime: boolean }
}

/** The answer to the first request of the page. Without a session it says only whether and how people can sign in. */
export interface EntryInfo {
  /** The signed-in person; null without a session. */
  me: Me | null
  /** True while nobody has an account. */
  first: boolean
  /** True if the service can send email. */
  mail: boolean
  /** The provider with which people sign in, and whether they can sign in only with it; null if there is none. */
  oidc: { name: string; only: boolean } | null
  /** True if people can sign in with passkeys: browsers allow them at the base address of the service. */
  passkeys: boolean
  /** The version of the service; null without a session. */
  version: string | null
}

export interface StartInfo {
  ok: true
}
/**
 * The answer to a person who forgot their password. `mails` is false if the service sends no mail, so that the person
 * must ask the operator.
 */
export interface ForgotPasswordInfo {
  mails: boolean
}

/** The account that a one-time link is for. */
export interface ClaimInfo {
  email: string
  /** The name of the person. */
  name: string
  /**
   * True if the link is for a person who asked for a new password; false if the operator hands over an account with it.
   */
  forgot: boolean
}
/** An invitation as the invited person sees it. */
export interface InvitationInfo {
  workspace: string
  email: string
  role: Role
  invitedBy: string
  /** True if a person with the invited address already has an account. That person must sign in first. */
  hasAccount: boolean
}

/** The public key of the service for Web Push (VAPID), in base64url. */
export interface PushKey {
  publicKey: string
}

export interface Session {
  id: string
  current: boolean
  createdAt: number
  /** When the session was last used, as far as the accounts library records it. */
  seenAt: number
  ip: string | null
  userAgent: string | null
}

/**
 * A successful sign-in. The method `first` is the link of the service's first start, and `claim` is a link with which a
 * person takes over an account or chooses a new password.
 */
export interface SignInRecord {
  at: number
  method: 'password' | 'link' | 'invitation' | 'first' | 'claim' | 'passkey' | 'oidc'
  /** The second factor that was shown: a code of the authenticator app, or a recovery code; missing if none was. */
  second?: 'code' | 'recovery'
  address: string
  userAgent: string
  /**
   * The number of sign-ins that this entry stands for; the last one was at `at`. They are equal, or come from the same
   * network and found no room as entries of their own. Missing for a single sign-in.
   */
  times?: number
  /** The time of the first of these sign-ins; missing for a single one. */
  since?: number
}

export interface Workspace {
  slug: string
  name: string
  role: Role
  /**
   * True if the operator activated the workspace. If not, the service answers its agents with 403, and the page says
   * so.
   */
  activated: boolean
  agents: number
  /** The number of accounts that agents use in other products. */
  bots: number
  /** The number of actions of which an agent has no outcome yet. */
  unfinishedActions: number
  alerts: {
    /** The number of open alerts in the workspace that nobody has acknowledged. */
    unacknowledged: number
    /** True if anybody is notified of the workspace's alerts: a channel of the workspace or of a person is enabled. */
    notified: boolean
  }
  /** The second factor that admins of the workspace need. */
  factor: {
    /** The time from which admins need one; null if never. */
    from: number | null
    /**
     * True if the person is an admin and this session has shown no second factor. From the time in `from` on, such a
     * session has the rights of a member.
     */
    missing: boolean
  }
  /** The first steps, if the page shows them to the person; null if not, and for members who are not admins. */
  firstSteps: FirstSteps | null
}

/** The first steps of a workspace, each true once it is done. */
export interface FirstSteps {
  /** An agent has reported. */
  agent: boolean
  /** Somebody is notified of alerts, as in `alerts.notified`. */
  notified: boolean
  /** The workspace has more than one member, or an open invitation. */
  people: boolean
  /** A version of a blueprint was uploaded. */
  blueprint: boolean
}

export interface Members {
  members: {
    id: string
    name: string
    email: string
    emailConfirmed: boolean
    role: Role
    self: boolean
    /** True if the person has a second factor; null unless an admin asks. */
    factor: boolean | null
  }[]
  /**
   * The open invitations; empty unless an admin asks. `void` is true if the person who invited left the workspace, was
   * disabled, or now has fewer rights than the invitation gives. `url` is null if the invitation makes an admin: its
   * link is shown only after a proof (`POST /w/:slug/invitations/:id/link`).
   */
  invitations: {
    id: string
    email: string
    role: Role
    expiresAt: number
    invitedBy: string
    url: string | null
    void: boolean
  }[]
}

/** A line of the activity. */
export interface AuditEntry {
  id: string
  at: number
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
}
