/**
 * Answers about people and workspaces, with the conventions for all answers of the service. Times are Unix
 * milliseconds, but values from a report are in seconds, as the agent sent them. Errors are `{error: {code, message}}`:
 * 401 means "sign in", 403 "not allowed", and 404 "not there" or "not visible to you".
 */
import type { BundleFinding } from './blueprints.ts'

/** The body of every refusal. */
export interface RefusalBody {
  /**
   * `findings` is present only with the code `bundle_refused`, and says why the bundle was refused. `act` is present
   * only with the code `proof_required`, and says what needs the proof, such as `delete a workspace`.
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
   * True if the e-mail address is known to belong to the person: they used a link that was mailed to it or that the
   * operator gave them, or the sign-in provider verified the address.
   */
  emailConfirmed: boolean
  /** True if the service can send email. */
  mails: boolean
  /**
   * The workspaces of the person. An admin has the role `member` while the workspace requires a second factor and none
   * was shown in this session.
   */
  workspaces: { slug: string; name: string; role: Role }[]
  /** True if the person, as an admin, sees the first steps in one of the workspaces. */
  onboarding: boolean
  /** Facts for the commands that a person copies to a machine. `runtime` is true if the service serves a runtime. */
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
  /** True if the person asked for a new password; false if the operator gives the account to the person. */
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
  /** When the session was last used. It is not recorded for every request. */
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
   * The number of sign-ins that this entry combines; missing for a single one. They are equal, or were combined to save
   * space and came from the same network.
   */
  times?: number
  /** The time of the first of the combined sign-ins, whose last was at `at`; missing for a single one. */
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
    /** The time from which admins need a second factor; null if they need none. */
    from: number | null
    /**
     * True if the person is an admin and this session has shown no second factor. From the time in `from` on, such a
     * session has the rights of a member.
     */
    missing: boolean
  }
  /** The first steps; null if the page does not show them to this person. */
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
  /** The open invitations; empty unless an admin asks. */
  invitations: {
    id: string
    email: string
    role: Role
    expiresAt: number
    invitedBy: string
    /** The link; null if the invitation makes an admin, so that the link is shown only after a proof. */
    url: string | null
    /** True if the inviting person left the workspace, was disabled, or has fewer rights than the invitation gives. */
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
