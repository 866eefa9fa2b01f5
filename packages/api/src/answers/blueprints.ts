/**
 * Answers of the service about blueprints, install codes and bots (2.9, 2.10), by the conventions of workspaces.ts.
 * Install codes are listed newest first.
 */
import type { Manifest } from '@svc/blueprint/manifest'
import type { Level } from '@svc/protocol'
import type { WishState } from './updates.ts'

/** One problem of a bundle. Only the manifest has a line and a column; unknown fields are null. */
export interface BundleFinding {
  file: string | null
  line: number | null
  column: number | null
  /**
   * The message about the problem, worded as the rest of a sentence that begins with the file, or with "The bundle".
   */
  message: string
}

export interface Blueprints {
  now: number
  rows: BlueprintRow[]
}
export interface BlueprintRow {
  name: string
  /**
   * The highest version of the blueprint by the order of version numbers. `description` is the description of this
   * version.
   */
  latest: string
  description: string
  versions: number
  /** When a version of the blueprint was last uploaded. */
  uploadedAt: number
  uploadedBy: string
  /** The number of agents that were installed from this blueprint. */
  agents: number
  /** The number of agents for each version, the most frequent version first. The version '' combines rare versions. */
  running: { version: string; agents: number }[]
}
export interface BlueprintPage {
  now: number
  name: string
  createdAt: number
  /** The versions of the blueprint, highest first. */
  versions: BlueprintVersionRow[]
  /**
   * The agents of this blueprint, ordered by name. `running` is the version that an agent last reported or, before its
   * first report, the version that was installed.
   */
  agents: {
    name: string
    running: string
    previous: string | null
    /** The version that an admin wants the agent to run; null if there is none. */
    wished: string | null
    /** The progress of the update to `wished`. */
    wishState: WishState
    level: Level | null
    seenAt: number | null
  }[]
  canAct: boolean
}
/** A version of a blueprint in the list of its versions. */
export interface BlueprintVersionRow {
  version: string
  description: string
  /** The size of the bundle (a zip file) in bytes. */
  size: number
  sha256: string
  uploadedAt: number
  uploadedBy: string
  runtime: 'process' | 'compose'
  /**
   * The version of svc that this version needs on the machine, in words; null if any version of svc will do. Agents
   * with an older svc are left out of updates to this version.
   */
  neededSvc: string | null
  /**
   * `runs` names the agents that run this version of the blueprint. `keeps` names the agents whose machines keep this
   * version as the previous one.
   */
  runs: string[]
  keeps: string[]
  /** The names of the agents that an admin wants to run this version. */
  wished: string[]
  /** The number of install codes for this version that have not been used and have not expired or been revoked. */
  codes: number
}
/** A version of a blueprint with its manifest and files. */
export interface BlueprintVersion extends BlueprintVersionRow {
  now: number
  blueprint: string
  manifest: Manifest
  /** The files in the bundle. */
  files: { path: string; size: number; executable: boolean }[]
  /** In the answer to an upload: a warning about something in the bundle that is probably a mistake. */
  note?: string
  canAct: boolean
}

/**
 * The state of an install code. `barred`: the code has not expired, but its issuer is no longer an admin. A barred code
 * becomes valid again if its issuer becomes an admin before it expires.
 */
export type InstallCodeState = 'live' | 'barred' | 'redeemed' | 'expired' | 'revoked'
/** An install code, without the code itself. */
export interface InstallCode {
  id: string
  blueprint: string
  version: string
  agentName: string
  /** The sorted tags that the agent gets when it is installed. */
  tags: string[]
  issuedAt: number
  issuedBy: string
  expiresAt: number
  state: InstallCodeState
  redeemedAt: number | null
  revokedAt: number | null
  /** The current name of the agent that was installed with the code; null before that, or if the agent was deleted. */
  agent: string | null
}
/** An install code that was just issued. */
export interface NewCode extends InstallCode {
  /** The install code itself, which is shown only in this answer. */
  code: string
  /**
   * Sentences about why an installation with this code would now be refused: for example, the name is taken, a product
   * is not activated, or the svc of the machine may be too old.
   */
  warnings: string[]
}
/** The answer to a request for install codes: the first code, and the list of all of them. */
export interface NewCodes extends NewCode {
  /** All codes that were issued, including the first. Missing if an earlier version of the service issued one code. */
  codes?: NewCode[]
}

export interface Bots {
  now: number
  /** The maximum number of bots in one workspace. */
  most: number
  rows: Bot[]
}
export interface Bot {
  id: string
  name: string
  product: string
  role: string
  createdAt: number
  /** The tokens of the bot, one for each agent that acts as it; newest first. */
  tokens: BotToken[]
}
export type BotTokenState = 'active' | 'revoked' | 'expired'
export interface BotToken {
  id: string
  agent: string
  scopes: string[]
  state: BotTokenState
  issuedAt: number
  expiresAt: number
  revokedAt: number | null
  /**
   * When a product last asked this service whether the token is valid, and it was. A product asks when an agent uses
   * the token there. The time is updated at most once a minute; null if no product has asked yet.
   */
  lastUsedAt: number | null
}
/** A product, with its activation for the workspace. */
export interface WorkspaceProduct {
  id: string
  origin: string
  /** When the operator activated the product for this workspace; null if the product is not activated. */
  activatedAt: number | null
  bots: number
}
