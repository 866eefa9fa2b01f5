/**
 * The dependencies that every part of the service may have: settings, log, clock, and the notifications for open pages.
 */
import type { Logger } from 'pino'

/** The form in which new passwords are stored (people/passwords.ts). */
export type PasswordForm = 'scrypt' | 'argon2id'

/** The service's settings, read once at startup (config.ts). */
export interface Config {
  /** The origin without a trailing slash, such as `http://localhost:8787`. */
  baseUrl: string
  host: string
  port: number
  dataDir: string
  /** The address of PostgreSQL; undefined if SQLite in `dataDir` is used. */
  databaseUrl: string | undefined
  /** The addresses of proxies whose forwarded headers are trusted (D16, D23). */
  trustedProxies: string[]
  /** The networks to which alerts may be sent although their addresses are not public. */
  outboundAllow: readonly string[]
  /** The address of the mail server that sends mails; undefined if none are sent. */
  smtpUrl: string | undefined
  /** The sender of mails: a mail address, or a name followed by the address in angle brackets. */
  mailFrom: string
  /** The address that the service calls each minute while alerts are evaluated and sent; undefined if there is none. */
  heartbeatUrl: string | undefined
  /** The port for health and metrics; 0 turns them off. */
  metricsPort: number
  logLevel: string
  /** The place to report a vulnerability, as a URI; undefined when the operator set none. */
  securityContact: string | undefined
  passwordForm: PasswordForm
  /** The folder of a built `svc.pyz`, which may become the served release at startup (releases/rules.ts). */
  releaseDir: string
  /** The release version of this build, from the root package. */
  version: string
}

/**
 * Notifies open pages of changes. A call is cheap and never waits; the pages get several changes together in one
 * message.
 */
export interface Live {
  /** A report of this agent was committed. */
  reported(workspaceId: string, agentId: string): void
  /** Commands, logs or other data of this agent changed. */
  changed(workspaceId: string, agentId: string): void
  /**
   * Something that lists of this workspace show was changed: agents were added, renamed or deleted, or blueprints,
   * codes, bots, rollouts, members or activations changed.
   */
  listChanged(workspaceId: string): void
  /** Alerts of this workspace were changed, or its rules, channels or mutes. */
  alertsChanged(workspaceId: string): void
  /** True while somebody has this agent's page open; answers then ask for a report every 5 s. */
  isWatched(agentId: string): boolean
}

export interface Base {
  config: Config
  log: Logger
  live: Live
  /** The current time in Unix milliseconds. */
  now: () => number
}
