import type { Logger } from 'pino'
import type { Store } from './db/open.ts'
import type { Auth } from './people/auth.ts'
import type { PasswordForm } from './people/password-forms.ts'
import type { Releases } from './releases/releases.ts'

/** The service's settings, read once at start (config.ts). */
export interface Config {
  /** Origin without a trailing slash, such as `http://localhost:8787`. */
  baseUrl: string
  host: string
  port: number
  dataDir: string
  /** Undefined: the embedded database in `dataDir`. */
  databaseUrl: string | undefined
  /** Addresses of proxies whose forwarded headers are trusted (D16, D23). */
  trustedProxies: string[]
  /** 0: off. */
  metricsPort: number
  logLevel: string
  /** Where people report a vulnerability, as a URI; undefined when the operator named no address. */
  securityContact: string | undefined
  /** How passwords are written (people/passwords.ts). */
  passwordForm: PasswordForm
  /** The folder of a built `svc.pyz`, which a start may begin to serve (releases/rules.ts). */
  releaseDir: string
  /** Release version of this build: the root package's version. */
  version: string
}

/** Notifies open pages of changes. Calls are cheap and never wait; frames are sent coalesced. */
export interface Live {
  /** A report of this agent was committed. */
  reported(workspaceId: string, agentId: string): void
  /** Commands, logs or other facts of this agent changed. */
  changed(workspaceId: string, agentId: string): void
  /** Agents of this workspace were added, renamed or deleted. */
  listChanged(workspaceId: string): void
  /** True while someone has this agent's page open. Answers then ask for a report every 5 s. */
  isWatched(agentId: string): boolean
}

/** The dependencies of every part of the service. Time is a function here and an argument everywhere below. */
export interface Deps {
  store: Store
  auth: Auth
  config: Config
  log: Logger
  live: Live
  /** The runtime that `/cli/` serves. */
  releases: Releases
  /** Unix milliseconds. */
  now: () => number
}
