/**
 * The dependencies that every part of the service may have: settings, log, clock, and the notifications for open pages.
 */
import type { Logger } from 'pino'

/** The hash function with which new passwords are stored (people/accounts/passwords.ts). */
export type PasswordForm = 'scrypt' | 'argon2id'

/** The sign-in provider (OpenID Connect). */
export interface OidcSettings {
  /** The issuer, as a URL. */
  issuer: string
  clientId: string
  clientSecret: string
  /** The domains whose addresses get an account, in lower case and ASCII; `*` if all do. */
  allow: readonly string[] | '*'
  /** The name of the provider, as people see it. */
  name: string
  /** True if nobody signs in with a password. */
  only: boolean
}

/** The service's settings, read once at startup (config.ts). */
export interface Config {
  /** The origin at which the service is reached, without a trailing slash, such as `http://localhost:8787`. */
  baseUrl: string
  host: string
  port: number
  dataDir: string
  /** The address of PostgreSQL; undefined if SQLite in `dataDir` is used. */
  databaseUrl: string | undefined
  /** The addresses and networks of proxies whose forwarded headers are trusted (D16, D23, D81). */
  trustedProxies: string[]
  /** The networks to which alerts may be sent although their addresses are not public. */
  outboundAllow: readonly string[]
  /** The address of the mail server through which the service sends mails; undefined if it sends none. */
  smtpUrl: string | undefined
  /** The sender of mails: a mail address, or a name followed by the address in angle brackets. */
  mailFrom: string
  /**
   * The address that the service calls each minute as long as alerts are evaluated and sent; undefined if the operator
   * set none.
   */
  heartbeatUrl: string | undefined
  /** The port for health and metrics; 0 turns them off. */
  metricsPort: number
  /** True if `/metrics/fleet` has lines about each agent. */
  metricsFleet: boolean
  /** The maximum number of agents in `/metrics/fleet`. */
  metricsAgents: number
  logLevel: string
  /** The address at which vulnerabilities are reported, as a URI; undefined if the operator set none. */
  securityContact: string | undefined
  passwordForm: PasswordForm
  /** The sign-in provider; undefined if the operator set none. */
  oidc?: OidcSettings | undefined
  /** The folder of a built `svc.pyz`, which may become the served release at startup (updates/releases/rules.ts). */
  releaseDir: string
  /** The release version of this build, from the root package. */
  version: string
}

/** Notifies open pages of changes. The pages get several changes together in one message. */
export interface Live {
  /** Notifies the open pages of this workspace that a report of this agent was committed. */
  reported(workspaceId: string, agentId: string): void
  /** Notifies the open pages of this workspace that commands, logs or other data of this agent changed. */
  changed(workspaceId: string, agentId: string): void
  /**
   * Notifies the open pages of this workspace that something in its lists changed: agents were added, renamed or
   * deleted, or blueprints, codes, bots, rollouts, members or activations changed.
   */
  listChanged(workspaceId: string): void
  /** Notifies the open pages of this workspace that its alerts changed, or their rules, channels or mutes. */
  alertsChanged(workspaceId: string): void
  /**
   * Ends the streams of people whose session has ended, who are disabled or are no longer members. Resolves when the
   * streams of this node have ended; other nodes end theirs soon afterwards.
   */
  rightsChanged(): Promise<void>
  /**
   * True while somebody has this agent's page open. The answers to the agent's reports then ask for a report every 5 s.
   */
  isWatched(agentId: string): boolean
  /**
   * The nodes from which announcements arrived in the last minutes. Undefined if none can arrive, because the database
   * is embedded or this process only runs one command of the operator.
   */
  nodesHeard?(): readonly string[]
}

export interface ServiceBase {
  config: Config
  log: Logger
  live: Live
  /** The current time in Unix milliseconds. */
  now: () => number
}
